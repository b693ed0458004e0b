import type { Tally } from './contract.ts';
import type { Offer, ServerPins } from './pins/pin-gate.ts';
import { isWaiting } from './pins/server-pins.ts';

/** How many tools a server has, and what may not be used of it. Clients may be shown different lists: each tool counts once. */
export function tallyOffers(offers: Iterable<Offer>, pins: ServerPins | undefined): Tally {
  const tools = new Map<string, 'usable' | 'quarantined' | 'rejected' | 'disabled' | 'malformed'>();
  const waiting = new Set<string>();
  if (isWaiting(pins?.stateOfProgram())) waiting.add('program');
  for (const { instructions, lists } of offers) {
    if (isWaiting(pins?.stateOfInstructions(instructions))) waiting.add('instructions');
    for (const list of lists) {
      for (const item of list.items) {
        const state = pins?.stateOf(list.kind, item);
        if (isWaiting(state)) waiting.add(`${list.kind} ${item.id}`);
        if (list.kind !== 'tools') continue;
        const isDisabled = list.setAside.has(item.id);
        const use = isDisabled
          ? 'disabled'
          : state === 'rejected'
            ? state
            : isWaiting(state)
              ? 'quarantined'
              : 'usable';
        tools.set(item.id, use);
      }
      if (list.kind === 'tools') for (const name of list.malformed.keys()) tools.set(name, 'malformed');
    }
  }
  const count = (wanted: string) => [...tools.values()].filter((state) => state === wanted).length;
  return {
    tools: tools.size,
    quarantined: count('quarantined'),
    rejected: count('rejected'),
    disabled: count('disabled'),
    malformed: count('malformed'),
    waiting: waiting.size,
  };
}
