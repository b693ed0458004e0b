import type { PlanSettings } from '../../config/plans-section.ts';
import type { Call } from '../../core/call.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type Plan, readPlan, whyOutside } from './plan.ts';

/** Plans by run, each at most once. Bounded; a plan in force is never pushed out, since its run would be free then. */
export interface PlanStore {
  find(run: string): Plan | undefined;
  /** @returns false when there is no room for one more */
  fix(run: string, plan: Plan): boolean;
}

export interface PlanPorts {
  /** Of the snapshot in force; `undefined`: there are no plans. */
  readonly settings: () => PlanSettings | undefined;
  readonly plans: PlanStore;
  /** `undefined`: nobody remembers what runs read. */
  readonly hasReadUntrusted: (run: string) => boolean | undefined;
}

/** Holds the calls of a run to its plan, and fixes plans only as long as nothing untrusted can have written them. */
export function plan({ settings, plans, hasReadUntrusted }: PlanPorts): Guard {
  /** `undefined`: the plan of the call is in force. */
  const whyNotFixed = (call: Call, given: unknown): string | undefined => {
    const before = plans.find(call.run);
    if (typeof given === 'string')
      return before?.digest === given
        ? undefined
        : 'The run has no plan of this digest. Begin a new run with its plan.';
    if (call.isOwnRun !== true)
      return 'A plan needs a run of its own: send _meta["dev.sallyport/run"] with every call of it.';
    const read = readPlan(given);
    if (typeof read === 'string') return `_meta["dev.sallyport/plan"]: ${read}.`;
    if (before?.digest === read.digest) return undefined;
    const hasRead = hasReadUntrusted(call.run);
    if (hasRead === undefined)
      return 'Plans need to know what a run has read. Ask the operator to switch on the section "taint".';
    if (hasRead)
      return 'This run has read untrusted data, which may have written the plan: it cannot be fixed or changed any more. Begin a new run.';
    return plans.fix(call.run, read) ? undefined : 'There is no room for one more plan. Try again later.';
  };
  return {
    name: 'plan',
    request(call) {
      if (settings() === undefined)
        return call.plan === undefined
          ? ALLOW
          : deny('Plans are not switched on here. Leave _meta["dev.sallyport/plan"] out, or ask the operator.');
      if (call.plan !== undefined) {
        const reason = whyNotFixed(call, call.plan);
        if (reason !== undefined) return deny(reason);
      }
      const fixed = plans.find(call.run);
      const reason = fixed && whyOutside(fixed, call.tool.publicName, call.arguments);
      return reason === undefined ? ALLOW : deny(reason);
    },
  };
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}
