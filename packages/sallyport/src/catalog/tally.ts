import type { Tally, ToolSchemas } from './contract.ts';
import type { Offer, ServerPins } from './pins/pin-gate.ts';
import { isWaiting } from './pins/server-pins.ts';

/** How many tools a server has, and what may not be used of it. Clients may be shown different lists: each tool counts once. */
export function tallyOffers(offers: Iterable<Offer>, pins: ServerPins | undefined, schemas?: ToolSchemas): Tally {
  const tools = new Map<string, 'usable' | 'unvalidated' | 'quarantined' | 'rejected' | 'malformed'>();
  const waiting = new Set<string>();
  if (isWaiting(pins?.stateOfProgram())) waiting.add('program');
  for (const { identity, lists } of offers) {
    for (const kind of ['instructions', 'serverInfo'] as const)
      if (isWaiting(pins?.stateOfSaid(kind, identity))) waiting.add(kind);
    for (const list of lists) {
      for (const item of list.items) {
        const state = pins?.stateOf(list.kind, item);
        if (isWaiting(state)) waiting.add(`${list.kind} ${item.id}`);
        if (list.kind !== 'tools') continue;
        const isUnvalidated = (schemas?.unusable(item.digest).length ?? 0) > 0;
        const use = isUnvalidated ? 'unvalidated' : 'usable';
        tools.set(item.id, state === 'rejected' ? state : isWaiting(state) ? 'quarantined' : use);
      }
      if (list.kind === 'tools') for (const name of list.malformed.keys()) tools.set(name, 'malformed');
    }
  }
  const count = (wanted: string) => [...tools.values()].filter((state) => state === wanted).length;
  return {
    tools: tools.size,
    quarantined: count('quarantined'),
    rejected: count('rejected'),
    unvalidated: count('unvalidated'),
    malformed: count('malformed'),
    waiting: waiting.size,
  };
}
