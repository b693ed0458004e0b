import { judge, type PinFacts, type PinRules, type PinState, toHold, whyHeld } from './pin.ts';
import { type Entry, toFacts } from './pin-entry.ts';

/**
 * Why a name may not be used that its server does not list now. A server must not free a definition by leaving it out of its
 * list, so the last one that was met counts. A name that was never met has no text that a model could have read: in a mode
 * that approves at first sight it may be used.
 * @param isFull names of this server are not remembered any more: nobody can tell whether this one was met
 */
export function whyUnlistedHeld(
  rules: PinRules,
  entry: Entry | undefined,
  { isFull, ...named }: Pick<PinFacts, 'server' | 'kind' | 'name'> & { readonly isFull: boolean },
): string | undefined {
  const last = entry?.seen ?? entry?.approved ?? entry?.rejected;
  const digest = last === undefined ? undefined : (entry?.twins.get(last) ?? last);
  const facts = toFacts(named, entry, digest);
  const isMet = entry !== undefined || isFull;
  const state = digest === undefined ? toUnmet(rules, isMet) : judge(rules, facts, digest);
  return whyHeld(state, { ...facts, hold: toHold(rules, facts) });
}

function toUnmet({ mode }: PinRules, isMet: boolean): PinState {
  if (mode === 'locked') return 'unlisted';
  return !isMet && (mode === 'laptop' || mode === 'off') ? 'approved' : 'new';
}
