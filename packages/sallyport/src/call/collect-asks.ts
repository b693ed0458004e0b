import type { Call } from '../core/call.ts';
import type { SinkClass } from '../core/sink.ts';
import type { AskReason } from '../guard/approve/approval.ts';
import { type Decision, type Guard, inspectRequest } from '../guard/guard.ts';

/** Everything the guards of the outer door want a person for. */
export interface CollectedAsks {
  /** A deny or a failure ends it all; else the last ask. */
  readonly decision: Decision;
  /** With the arguments after all rewrites. */
  readonly call: Call;
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
export async function collectAsks(guards: readonly Guard[], call: Call, first?: Decision): Promise<CollectedAsks> {
  const reasons: AskReason[] = [];
  const classes = new Set<SinkClass>();
  let people: 2 | undefined;
  let rest = guards;
  let at = call;
  let decision = first ?? (await inspectRequest(rest, at));
  for (;;) {
    const { verdict, guard, rewritten } = decision;
    if (rewritten !== undefined && rewritten !== at.arguments) at = { ...at, arguments: rewritten };
    if (verdict.kind !== 'ask') break;
    reasons.push({ guard: guard ?? '', reason: verdict.reason, ...(verdict.untrusted ? { untrusted: true } : {}) });
    for (const effect of verdict.classes ?? []) classes.add(effect);
    people ??= verdict.people;
    const place = rest.findIndex(({ name }) => name === guard);
    // The guard that asked is always in the list. If it is missing, we cannot tell which ones have asked: none is asked again.
    rest = place < 0 ? [] : rest.slice(place + 1);
    const next = await inspectRequest(rest, at);
    if (next.verdict.kind === 'deny') return { decision: next, call: at, reasons, classes: [...classes], people };
    if (next.verdict.kind !== 'ask') {
      if (next.rewritten !== undefined) at = { ...at, arguments: next.rewritten };
      break;
    }
    decision = next;
  }
  return { decision, call: at, reasons, classes: [...classes], people };
}
