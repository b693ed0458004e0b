import { createHash } from 'node:crypto';
import type { Endpoint } from '../../core/endpoint.ts';
import { FaultError } from '../../core/errors.ts';
import { fromRunKey, type NamedRun, toRunKey } from '../../core/run-key.ts';
import { type FixedPlan, type Plan, readPlan, toEndpointText } from './plan.ts';
import type { PlanPorts } from './plan-guard.ts';

/** A plan with what people call it. */
export interface KnownPlan {
  readonly id: string;
  readonly run: NamedRun;
  readonly plan: FixedPlan;
}

/** What an operator wants to fix for a run. */
export interface GivenPlan {
  readonly run: NamedRun;
  readonly endpoint: Endpoint;
  readonly plan: Plan;
  /** Principal of the operator. */
  readonly by: string;
}

/** Found again from the run alone, so that nothing else has to be kept. */
function toPlanId(run: NamedRun): string {
  return `pl_${createHash('sha256').update(keyOf(run)).digest('hex').slice(0, 16)}`;
}

/** @throws FaultError `schema` for what is no plan. */
export function readGivenPlan(written: unknown): Plan {
  const read = readPlan(written);
  if (typeof read === 'string') throw new FaultError('schema', `The plan cannot be read: ${read}.`);
  return read;
}

export async function listPlans(ports: PlanPorts): Promise<readonly KnownPlan[]> {
  const found: KnownPlan[] = [];
  for (const { run: key, plan } of await ports.plans.list()) {
    const run = fromRunKey(key);
    if (run !== undefined) found.push({ id: toPlanId(run), run, plan });
  }
  return found.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** @throws FaultError `not_found`. */
export async function getPlan(ports: PlanPorts, id: string): Promise<KnownPlan> {
  const found = (await listPlans(ports)).find((one) => one.id === id);
  if (found === undefined) throw new FaultError('not_found', `There is no plan ${id.slice(0, 64)}, or not any longer.`);
  return found;
}

/**
 * Why a plan cannot be fixed now: it must have been made before the run read anything that could have written it.
 * @throws FaultError `conflict`.
 */
export async function mayRegister(ports: PlanPorts, { run, endpoint, plan }: GivenPlan): Promise<void> {
  if (ports.settings() === undefined)
    throw new FaultError('conflict', 'Plans are not switched on here: the configuration has no section "plans".');
  const key = keyOf(run);
  const hasRead = ports.hasReadUntrusted(key);
  if (hasRead === undefined)
    throw new FaultError('conflict', 'Plans need to know what a run has read: switch on the section "taint".');
  const before = await ports.plans.find(key);
  if (before?.isEnded === true) throw new FaultError('conflict', 'This run has ended. Begin a new one.');
  const isSame = before?.digest === plan.digest && before.endpoint === toEndpointText(endpoint);
  if (!isSame && (before?.isFinal === true || (await hasRead)))
    throw new FaultError(
      'conflict',
      'This run has read untrusted data, which may have written the plan: it can be neither fixed nor changed. Begin a new run.',
    );
}

/** Fixes a plan that no client changes. @throws FaultError `conflict`; `overloaded`: there is no room. */
export async function registerPlan(ports: PlanPorts, given: GivenPlan): Promise<KnownPlan> {
  await mayRegister(ports, given);
  const { run, endpoint, plan, by } = given;
  const isFinal = (await ports.plans.find(keyOf(run)))?.isFinal;
  const fixed: FixedPlan = { ...plan, endpoint: toEndpointText(endpoint), by, fixedAt: ports.now(), isFinal };
  if (!(await ports.plans.fix(keyOf(run), fixed)))
    throw new FaultError('overloaded', 'There is no room for one more plan (plans.plans).');
  return { id: toPlanId(run), run, plan: fixed };
}

/**
 * Ends a run: nothing is in its plan from now on. It is not set free, since what it has read may still be at work in it.
 * @throws FaultError `not_found`; `overloaded`.
 */
export async function endPlan(ports: PlanPorts, id: string, by: string): Promise<KnownPlan> {
  const { run, plan } = await getPlan(ports, id);
  const ended: FixedPlan = { ...plan, by: plan.by ?? by, isEnded: true };
  if (!(await ports.plans.fix(keyOf(run), ended)))
    throw new FaultError('overloaded', 'The plan could not be ended. Try again.');
  return { id, run, plan: ended };
}

function keyOf({ id, principal, agent }: NamedRun): string {
  return toRunKey(id, { id: principal, agent });
}
