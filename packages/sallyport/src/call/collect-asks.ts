import type { Envelope } from '../core/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import type { SinkClass } from '../core/sink.ts';
import type { AskReason } from '../guard/approve/approval.ts';
import { type Decision, type Guard, inspect } from '../guard/guard.ts';

/** Everything the guards want a person for on the way to a server. */
export interface CollectedAsks {
  /** A deny or a failure ends it all; else the last ask. */
  readonly decision: Decision;
  /** With the body after all rewrites. */
  readonly envelope: Envelope;
  /** What a person is asked about, where it is not the body. */
  readonly about: JsonObject | undefined;
  readonly reasons: readonly AskReason[];
  readonly classes: readonly SinkClass[];
  /** How many people a guard asked for; `undefined`: as many as the configuration says. */
  readonly people: 2 | undefined;
}

/**
 * The guards behind one that asks are heard, too: a person is not asked about a call that is denied anyway, and sees all
 * reasons at once, since their yes answers all of them.
 * @param first what the guards said up to the first ask; left out: they are all heard from the start
 */
export async function collectAsks(guards: readonly Guard[], given: Envelope, first?: Decision): Promise<CollectedAsks> {
  const reasons: AskReason[] = [];
  const classes = new Set<SinkClass>();
  let people: 2 | undefined;
  let rest = guards;
  let at = given;
  let about: JsonObject | undefined;
  let decision = first ?? (await inspect(rest, at));
  for (;;) {
    const { verdict, guard, rewritten } = decision;
    if (rewritten !== undefined && rewritten !== at.body) at = { ...at, body: rewritten };
    if (verdict.kind !== 'ask') break;
    reasons.push({ guard: guard ?? '', reason: verdict.reason, ...(verdict.untrusted ? { untrusted: true } : {}) });
    for (const effect of verdict.classes ?? []) classes.add(effect);
    people ??= verdict.people;
    about ??= verdict.about;
    const place = rest.findIndex(({ name }) => name === guard);
    // The guard that asked is always in the list. If it is missing, we cannot tell which ones have asked: none is asked again.
    rest = place < 0 ? [] : rest.slice(place + 1);
    const next = await inspect(rest, at);
    if (next.verdict.kind === 'deny')
      return { decision: next, envelope: at, about, reasons, classes: [...classes], people };
    if (next.verdict.kind !== 'ask') {
      if (next.rewritten !== undefined) at = { ...at, body: next.rewritten };
      break;
    }
    decision = next;
  }
  return { decision, envelope: at, about, reasons, classes: [...classes], people };
}
