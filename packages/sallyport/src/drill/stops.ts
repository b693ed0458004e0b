import { type JsonObject, member } from '../core/json.ts';
import type { Done } from './agent.ts';
import { itemsOf, type RunningSallyport } from './sallyport.ts';
import type { Entry } from './scenario.ts';

/** One thing that Sallyport says it stopped, in its own words. */
export interface Stop {
  readonly guard: string;
  /** Ids of policies or findings where there are any, else the reason. */
  readonly rule: string;
}

const MAX_RULE = 200;

/**
 * What stopped the attack, from what Sallyport itself says and nothing else: its answers, its record, the definitions it
 * holds, what it answered the server. The first one is what counts.
 */
export async function readStops(
  sallyport: RunningSallyport,
  done: readonly Done[],
  ledger: readonly Entry[],
): Promise<readonly Stop[]> {
  const held = await readHeld(sallyport);
  const refused = done.flatMap(({ verdict }) => (verdict === undefined ? [] : [toStop(verdict, held)]));
  return [...refused, ...(await readRecord(sallyport, held)), ...held, ...readAnswersToServers(ledger)];
}

/** The refusals of the record, the oldest first. */
async function readRecord(sallyport: RunningSallyport, held: readonly Stop[]): Promise<readonly Stop[]> {
  const calls = itemsOf(await sallyport.rest('GET', '/audit/calls?limit=100')).toReversed();
  return calls.flatMap((call) => (member(call, 'guard') === undefined ? [] : [toStop(call, held)]));
}

async function readHeld(sallyport: RunningSallyport): Promise<readonly Stop[]> {
  const waiting = itemsOf(await sallyport.rest('GET', '/pins/differences?limit=100'));
  return waiting.map((one) => {
    const findings = member(one, 'findings');
    const ids = (Array.isArray(findings) ? findings : []).map((finding) => String(member(finding, 'id')));
    const rule = ids.length > 0 ? [...new Set(ids)].join(', ') : `${String(one['state'])} definition`;
    return { guard: 'pin', rule: `${rule} (${String(one['server'])} ${String(one['item'])})`.slice(0, MAX_RULE) };
  });
}

/** A question that was refused: the server wrote down the answer it got. */
function readAnswersToServers(ledger: readonly Entry[]): readonly Stop[] {
  return ledger
    .filter(({ what }) => what === 'was refused')
    .map(({ detail }) => ({ guard: 'questions', rule: detail.slice(0, MAX_RULE) }));
}

function toStop(said: JsonObject, held: readonly Stop[]): Stop {
  const guard = String(member(said, 'guard'));
  const pinned = held[0];
  if (guard === 'pin' && pinned !== undefined) return pinned;
  const policies = member(member(said, 'policy'), 'policies');
  const named = Array.isArray(policies) ? policies.join(', ') : '';
  return { guard, rule: (named === '' ? String(member(said, 'reason')) : named).slice(0, MAX_RULE) };
}
