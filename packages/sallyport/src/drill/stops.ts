import { isObject, type JsonObject, member } from '../core/json.ts';
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
/** More would say the same in other words. */
const MAX_IDS = 3;

export interface Played {
  readonly done: readonly Done[];
  readonly ledger: readonly Entry[];
  /** Approvals that the person of the play gave: what asked there stopped nothing. */
  readonly answered: readonly string[];
  /** Who played: another play may stand in the same record. */
  readonly agent: string;
}

/**
 * What stopped the attack, from what Sallyport itself says and nothing else: its record, its answers, the definitions it
 * holds, what it answered the server. The first one is what counts.
 */
export async function readStops(sallyport: RunningSallyport, played: Played): Promise<readonly Stop[]> {
  const held = await readHeld(sallyport);
  const calls = itemsOf(await sallyport.rest('GET', `/audit/calls?limit=100&agent=${played.agent}`)).toReversed();
  // A call that went through with something found in its result stopped nothing: that is read below.
  const stopped = calls.filter((call) => !LET_THROUGH.has(member(call, 'outcome')));
  const verdicts = played.done.flatMap(({ verdict }) => (verdict === undefined ? [] : [verdict]));
  const said = [...stopped, ...verdicts].filter((one) => {
    const approval = member(one, 'approval');
    return member(one, 'guard') !== undefined && !played.answered.some((id) => id === approval);
  });
  const stops = await Promise.all(said.map((one) => toStop(sallyport, one, held)));
  return [...stops, ...readScans(played.done), ...held, ...readAnswersToServers(played.ledger)];
}

const LET_THROUGH: ReadonlySet<unknown> = new Set(['ok', 'tool_error']);

/** What was found in results and taken out or rewritten there: a warning alone stops no agent that obeys. */
function readScans(done: readonly Done[]): readonly Stop[] {
  return done.flatMap(({ scan }) => {
    const ids = scan === undefined || member(scan, 'changes') === undefined ? [] : toIds(listOf(scan, 'findings'));
    return ids.length === 0 ? [] : [{ guard: 'scan-result', rule: ids.join(', ') }];
  });
}

function isBlock(finding: JsonObject): boolean {
  return finding['tier'] === 'block';
}

/** Each rule once, those that hold by themselves first. */
function toIds(findings: readonly JsonObject[]): readonly string[] {
  const ordered = [...findings.filter(isBlock), ...findings.filter((one) => !isBlock(one))];
  return [...new Set(ordered.map((finding) => String(finding['id'])))];
}

function itemOf(rival: JsonObject, prefix: string): string {
  return `${String(rival['server'])} ${prefix}${String(rival['name'])}`;
}

function listOf(value: JsonObject, key: string): readonly JsonObject[] {
  const list = member(value, key);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

async function readHeld(sallyport: RunningSallyport): Promise<readonly Stop[]> {
  const waiting = itemsOf(await sallyport.rest('GET', '/pins/differences?limit=100'));
  return waiting.map((one): Stop => {
    return { guard: 'pin', rule: `${whyHeld(one).join(', ')} (${String(one['server'])} ${String(one['item'])})` };
  });
}

/**
 * What holds a definition: findings of the block tier, and that it changed. One without either is held because it is new, in
 * the mode of the drill; what was found in it is why its operator does not approve it.
 */
export function whyHeld(difference: JsonObject): readonly string[] {
  const findings = listOf(difference, 'findings');
  const blocking = findings.filter(isBlock);
  const isRival = blocking.some(({ id }) => String(id).startsWith('shadow-'));
  const rivals = isRival
    ? listOf(difference, 'related').map((rival) => `competes with ${itemOf(rival, 'tools/')}`)
    : [];
  const holding = [...toIds(blocking).slice(0, MAX_IDS), ...new Set(rivals)];
  if (difference['state'] === 'changed') return ['changed definition', ...holding];
  if (holding.length > 0) return holding;
  return [`${String(difference['state'])} definition`, ...toIds(findings).slice(0, MAX_IDS)];
}

/** A question that was refused: the server wrote down the answer it got. */
function readAnswersToServers(ledger: readonly Entry[]): readonly Stop[] {
  return ledger.flatMap(({ what, detail }) => {
    if (what !== 'was refused') return [];
    const verdict = member(member(JSON.parse(detail), 'data'), 'dev.sallyport/verdict');
    const guard = member(verdict, 'guard');
    return typeof guard === 'string' ? [{ guard, rule: toRule(String(member(verdict, 'reason'))) }] : [];
  });
}

async function toStop(sallyport: RunningSallyport, said: JsonObject, held: readonly Stop[]): Promise<Stop> {
  const guard = String(member(said, 'guard'));
  if (guard === 'pin' && held[0] !== undefined) return held[0];
  const approval = member(said, 'approval');
  if (typeof approval === 'string') {
    // Who asked, and why, stands with the question that waits for a person.
    const question = await sallyport.rest('GET', `/approvals/${encodeURIComponent(approval)}`);
    const reasons = member(question, 'reasons');
    const first = Array.isArray(reasons) ? reasons[0] : undefined;
    if (first !== undefined) return toNamed(String(member(first, 'guard')), { said, reason: member(first, 'reason') });
  }
  return toNamed(guard, { said, reason: member(said, 'reason') });
}

function toNamed(guard: string, { said, reason }: { said: JsonObject; reason: unknown }): Stop {
  const policies = guard === 'policy' ? member(member(said, 'policy'), 'policies') : undefined;
  const named = Array.isArray(policies) ? policies.join(', ') : '';
  return { guard, rule: (named === '' ? toRule(String(reason)) : named).slice(0, MAX_RULE) };
}

/** The name of the rule where the reason has one, else its first sentence. */
function toRule(reason: string): string {
  const name = /\b[Rr]ule "([a-z0-9-]{1,64})"|\((?:rule )?([a-zA-Z0-9-]{3,64})\)\.?(?: |$)/.exec(reason);
  return name?.[1] ?? name?.[2] ?? /^.{1,200}?[.;](?= |$)/s.exec(reason)?.[0] ?? reason;
}
