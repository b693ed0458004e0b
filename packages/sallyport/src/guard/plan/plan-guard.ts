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
  readonly hasReadUntrusted: (run: string) => Promise<boolean> | undefined;
}

/** Holds the calls of a run to its plan, and fixes plans only as long as nothing untrusted can have written them. */
export function plan(ports: PlanPorts): Guard {
  const { settings, plans } = ports;
  const judge = (call: Call): Verdict => {
    const fixed = plans.find(call.run);
    const reason = fixed && whyOutside(fixed, call.tool.publicName, call.arguments);
    return reason === undefined ? ALLOW : deny(reason);
  };
  return {
    name: 'plan',
    request(call) {
      const { plan: given, run } = call;
      if (settings() === undefined)
        return given === undefined
          ? ALLOW
          : deny('Plans are not switched on here. Leave _meta["dev.sallyport/plan"] out, or ask the operator.');
      if (given === undefined) return judge(call);
      const before = plans.find(run)?.digest;
      if (typeof given === 'string')
        return before === given
          ? judge(call)
          : deny('The run has no plan of this digest. Begin a new run with its plan.');
      const read = readPlan(given);
      if (typeof read === 'string') return deny(`_meta["dev.sallyport/plan"]: ${read}.`);
      return before === read.digest ? judge(call) : fix(ports, call, read).then((verdict) => verdict ?? judge(call));
    },
  };
}

/** Why the plan cannot be fixed; `undefined`: it is. */
async function fix({ plans, hasReadUntrusted }: PlanPorts, call: Call, read: Plan): Promise<Verdict | undefined> {
  if (call.isOwnRun !== true)
    return deny('A plan needs a run of its own: send _meta["dev.sallyport/run"] with every call of it.');
  const hasRead = hasReadUntrusted(call.run);
  if (hasRead === undefined)
    return deny('Plans need to know what a run has read. Ask the operator to switch on the section "taint".');
  if (await hasRead)
    return deny(
      'This run has read untrusted data, which may have written the plan: it can be neither fixed nor changed. Begin a new run.',
    );
  return plans.fix(call.run, read) ? undefined : deny('There is no room for one more plan. Try again later.');
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}
