import { isKept, type PlanSettings } from '../../config/plans-section.ts';
import type { Call } from '../../core/call.ts';
import type { JsonObject } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type Of, snapshotOf } from '../snapshot-of.ts';
import { mayEcho } from './echo.ts';
import { type HandleStore, handlesIn, type KeptText } from './handle.ts';
import { type FixedPlan, plansHandle } from './plan.ts';
import type { PlanStore } from './plan-guard.ts';
import { keepTexts, veilResult } from './veil.ts';

export interface HandlePorts {
  readonly settings: Of<PlanSettings | undefined>;
  readonly handles: HandleStore;
  readonly plans: Pick<PlanStore, 'find'>;
}

/** Keeps what untrusted servers answer out of the model's context, and asks before it goes where no plan sent it. */
export function handles(ports: HandlePorts): Guard {
  const keeps = (call: Call): boolean => {
    const settings = ports.settings(snapshotOf(call));
    return settings !== undefined && isKept(settings, call.tool.upstream);
  };
  return {
    name: 'handles',
    request(call) {
      if (ports.settings(snapshotOf(call)) === undefined) return ALLOW;
      const ids = handlesIn(call.arguments);
      return ids.length === 0 ? ALLOW : judge(ports, call, ids);
    },
    readsResult: (call) =>
      keeps(call) || (ports.settings(snapshotOf(call)) !== undefined && handlesIn(call.arguments).length > 0),
    result(call, result) {
      if (keeps(call)) return keep(ports, call, result);
      const ids = ports.settings(snapshotOf(call)) === undefined ? [] : handlesIn(call.arguments);
      if (ids.length === 0) return ALLOW;
      const look = (texts: ReadonlyMap<string, KeptText>) => {
        const given = ids.flatMap((id) => texts.get(id)?.text ?? []);
        // What is not kept any longer cannot be looked for.
        return given.length === ids.length && !asks(result) && !mayEcho(result, given)
          ? ALLOW
          : keep(ports, call, result);
      };
      const found = ports.handles.find(call.run, ids);
      return found instanceof Promise ? found.then(look) : look(found);
    },
  };
}

/** What comes later, or asks, would reach the client past this door. */
function asks(result: JsonObject): boolean {
  return result['task'] !== undefined || (result['resultType'] ?? 'complete') !== 'complete';
}

function keep({ handles: store }: HandlePorts, call: Call, result: JsonObject): Verdict | Promise<Verdict> {
  const { upstream, definition } = call.tool;
  if (asks(result))
    return {
      kind: 'deny',
      code: 'denied',
      reason: `This result of "${upstream}" is kept, so that it may neither answer later nor ask: call the tool without a task.`,
    };
  const toVerdict = (value: JsonObject): Verdict => ({
    kind: 'rewrite',
    value,
    reason: `This result of "${upstream}" is kept: arguments of other calls may name its handles.`,
  });
  const veiled = keepTexts(store, { run: call.run, upstream }, veilResult(result, definition['outputSchema']));
  return veiled instanceof Promise ? veiled.then(toVerdict) : toVerdict(veiled);
}

/** A kept text returns to its own server freely; elsewhere it goes by plan, or by a person's word. */
function judge({ handles: store, plans }: HandlePorts, call: Call, ids: readonly string[]): Verdict | Promise<Verdict> {
  const found = store.find(call.run, ids);
  const fixed = plans.find(call.run);
  return found instanceof Promise || fixed instanceof Promise
    ? Promise.all([found, fixed]).then(([texts, one]) => judgeFound(call, ids, { texts, fixed: one }))
    : judgeFound(call, ids, { texts: found, fixed });
}

interface Known {
  readonly texts: ReadonlyMap<string, KeptText>;
  readonly fixed: FixedPlan | undefined;
}

function judgeFound(call: Call, ids: readonly string[], { texts, fixed }: Known): Verdict {
  const { tool } = call;
  const found = ids.map((id) => texts.get(id));
  if (found.includes(undefined))
    return {
      kind: 'deny',
      code: 'denied',
      reason:
        'A handle in the arguments is not known in this run, or not any longer. Call the tool it came from again.',
    };
  const foreign = found.filter((kept) => kept?.upstream !== tool.upstream);
  if (foreign.length === 0 || (fixed !== undefined && plansHandle(fixed, call))) return ALLOW;
  const from = [...new Set(foreign.map((kept) => `"${kept?.upstream ?? ''}"`))].join(', ');
  const size = foreign.reduce((sum, kept) => sum + (kept?.text.length ?? 0), 0);
  return {
    kind: 'ask',
    reason: `The call of "${tool.publicName.slice(0, 128)}" would take ${size} characters that ${from} wrote, unseen, to "${tool.upstream}", and no plan says so: a person has to agree.`,
  };
}
