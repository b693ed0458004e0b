import { isBound, type PlanSettings } from '../../config/plans-section.ts';
import { type Envelope, type FrozenSnapshot, NAME } from '../../core/envelope.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { toWhole } from '../whole.ts';
import { handlesIn, type Later } from './handle.ts';
import {
  comparesNumbers,
  ENDED,
  type FixedPlan,
  type Plan,
  readPlan,
  toEndpointText,
  type Use,
  whyOutside,
} from './plan.ts';

/**
 * Plans by run, each at most once. Bounded; a plan in force, or one that has ended, is never pushed out, since its run
 * would be free then.
 */
export interface PlanStore {
  find(run: string): Later<FixedPlan | undefined>;
  /** @returns false when there is no room for one more, or it may not take the place of the one there is (`mayReplace`) */
  fix(run: string, plan: FixedPlan): Later<boolean>;
  /** All of them, for people. */
  list(): Later<readonly { readonly run: string; readonly plan: FixedPlan }[]>;
}

export interface PlanPorts {
  /** Of this snapshot, left out: of the one in force; `undefined`: there are no plans. */
  readonly settings: (snapshot?: FrozenSnapshot) => PlanSettings | undefined;
  readonly plans: PlanStore;
  /** `undefined`: nobody remembers what runs read. */
  readonly hasReadUntrusted: (run: string) => Promise<boolean> | undefined;
  /** Whether a run that reads there has read untrusted data. Left out: no source is known to be. */
  readonly isUntrusted?: ((source: PlanSource) => boolean) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Where an answer will come from, by the server's own name of it. */
export type PlanSource = Pick<Envelope, 'snapshot' | 'upstream' | 'target'>;

/** Holds what a run uses to its plan, and fixes plans only as long as nothing untrusted can have written them. */
export function plan(ports: PlanPorts): Guard {
  return {
    name: 'plan',
    kinds: ['call', 'read', 'prompt', 'completion', 'task', 'request', 'subscription'],
    judge(envelope) {
      const settings = ports.settings(envelope.snapshot);
      if (settings === undefined)
        return envelope.plan === undefined
          ? ALLOW
          : deny('Plans are not switched on here. Leave _meta["dev.sallyport/plan"] out, or ask the operator.');
      if (envelope.kind !== 'call' && handlesIn(toWhole(envelope)).length > 0)
        return deny('A handle is opened in arguments of tools only. Call a tool with it.');
      return judgeUse(ports, envelope, settings);
    },
  };
}

/** What a plan can name of it; `undefined`: nothing, so that it is in no plan. `decided`: it belongs to a call that was decided. */
function useOf({ kind, item, publicTarget: name, body, fixed }: Envelope): Use | 'decided' | undefined {
  const isOfTask = kind === 'task' || (kind === 'subscription' && item === undefined);
  if (isOfTask && fixed[NAME] === undefined) return 'decided';
  if (kind === 'completion' || item === undefined) return undefined;
  return { kind: item, name, arguments: body };
}

function judgeUse(ports: PlanPorts, envelope: Envelope, settings: PlanSettings): Verdict | Promise<Verdict> {
  const { plans } = ports;
  const { plan: given, run } = envelope;
  const use = useOf(envelope);
  const judge = (fixed: FixedPlan | undefined): Verdict | Promise<Verdict> => {
    if (use === 'decided') return fixed?.isEnded === true ? deny(ENDED) : ALLOW;
    if (fixed?.by === undefined && isBound(settings, envelope.client.principal))
      return deny('This caller needs a plan that an operator fixed for its run, and there is none. Tell the user.');
    const reason = fixed && whyOutsideOf(fixed, use, envelope);
    if (reason !== undefined) return deny(reason);
    if (fixed === undefined || use === undefined) return ALLOW;
    return settle(ports, envelope, { fixed, verdict: comparesNumbers(fixed, use) ? asCompared(use) : ALLOW });
  };
  const look = (fixed: FixedPlan | undefined): Verdict | Promise<Verdict> => {
    if (given === undefined) return judge(fixed);
    if (typeof given === 'string')
      return fixed?.digest === given
        ? judge(fixed)
        : deny('The run has no plan of this digest. Begin a new run with its plan.');
    const read = readPlan(given);
    if (typeof read === 'string') return deny(`_meta["dev.sallyport/plan"]: ${read}.`);
    if (fixed?.digest === read.digest) return judge(fixed);
    return fix(ports, envelope, read).then(async (verdict) => verdict ?? judge(await plans.find(run)));
  };
  const fixed = plans.find(run);
  return fixed instanceof Promise ? fixed.then(look) : look(fixed);
}

interface Judged {
  readonly fixed: FixedPlan;
  readonly verdict: Verdict;
}

/** What the next request could be written by comes from here on: the plan is final before this one is sent. */
function settle(
  { plans, isUntrusted }: PlanPorts,
  envelope: Envelope,
  { fixed, verdict }: Judged,
): Verdict | Promise<Verdict> {
  if (fixed.isFinal === true || isUntrusted?.(envelope) !== true) return verdict;
  const kept = plans.fix(envelope.run, { ...fixed, isFinal: true });
  const check = (isKept: boolean) => (isKept ? verdict : deny('The plan of this run was just changed. Try again.'));
  return kept instanceof Promise ? kept.then(check) : check(kept);
}

function whyOutsideOf(fixed: FixedPlan, use: Use | undefined, { endpoint }: Envelope): string | undefined {
  return use === undefined
    ? 'This run has a plan, and no plan can say where this would lead.'
    : whyOutside(fixed, use, endpoint);
}

/** Why the plan cannot be fixed; `undefined`: it is. */
async function fix(
  { plans, hasReadUntrusted, now }: PlanPorts,
  { run, isOwnRun, endpoint }: Envelope,
  read: Plan,
): Promise<Verdict | undefined> {
  if (isOwnRun !== true)
    return deny('A plan needs a run of its own: send _meta["dev.sallyport/run"] with every call of it.');
  const hasRead = hasReadUntrusted(run);
  if (hasRead === undefined)
    return deny(
      'Plans need to know what a run has read, which is not followed here. Leave _meta["dev.sallyport/plan"] out, or tell the user.',
    );
  const before = await plans.find(run);
  if (before?.isFinal === true || (await hasRead))
    return deny(
      'This run has read untrusted data, which may have written the plan: it can be neither fixed nor changed. Begin a new run.',
    );
  if (before?.by !== undefined || before?.isEnded === true)
    return deny('An operator fixed the plan of this run, so that the client cannot change it. Begin a new run.');
  const fixed = { ...read, endpoint: toEndpointText(endpoint), fixedAt: now() };
  return (await plans.fix(run, fixed)) ? undefined : deny('There is no room for one more plan. Try again later.');
}

function asCompared({ arguments: value }: Use): Verdict {
  return { kind: 'rewrite', value, reason: 'Numbers are sent as the plan compared them.' };
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}
