import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../core/canonical-json.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import type { Envelope } from '../../core/envelope.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { findHandle } from './handle.ts';

/**
 * What a call may be, fixed before anything untrusted was read: a text that is read later can neither add a tool nor an
 * argument (the planner's half of the dual LLM pattern, Willison 2023; CaMeL, Debenedetti et al. 2025).
 */
export interface Plan {
  /** SHA-256 of its canonical form, hex. */
  readonly digest: string;
  readonly steps: readonly Step[];
  /** As it was written: `readPlan` makes the rest of it anew. */
  readonly written: JsonObject;
}

/** A plan in force. But for `steps`, plain JSON. */
export interface FixedPlan extends Plan {
  /** Names are those of one endpoint (`toEndpointText`): at another one they may be another server's. */
  readonly endpoint: string;
  /** Principal that fixed it over the API: no client changes it. Left out: the client did, in a request of the run. */
  readonly by?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly fixedAt: number;
  /** The run is over: nothing is in its plan any more. */
  readonly isEnded?: true | undefined;
  /**
   * Something under it went to an untrusted source: it is never changed again. Kept with the plan, since what is known
   * of a run's reading is forgotten earlier, and makes room for other runs.
   */
  readonly isFinal?: true | undefined;
}

/** May this plan take the place of the one its run has? Asked by stores at the moment they write. */
export function mayReplace(before: FixedPlan | undefined, next: FixedPlan): boolean {
  if (before === undefined) return true;
  // What an operator said no client unsays, and what is over or final stays so.
  if (before.by !== undefined && next.by === undefined) return false;
  if (before.isEnded === true && next.isEnded !== true) return false;
  if (before.isFinal !== true) return true;
  return next.isFinal === true && next.digest === before.digest && next.endpoint === before.endpoint;
}

const USES = ['tool', 'resource', 'prompt'] as const;

/** What a run would use, as clients of the endpoint call it. */
export interface Use {
  readonly kind: (typeof USES)[number];
  /** The name, or the URI of a resource. */
  readonly name: string;
  readonly arguments: JsonObject;
}

interface Step extends Pick<Use, 'kind' | 'name'> {
  /** Arguments by name; left out: any. One that is not named here may not be given. */
  readonly arguments?: ReadonlyMap<string, Constraint> | undefined;
}

type Constraint =
  | { readonly kind: 'any' | 'handle' }
  /** Canonical forms of the values it may have. */
  | { readonly kind: 'values'; readonly values: ReadonlySet<string> };

const MAX_STEPS = 100;
const MAX_ARGUMENTS = 64;
/** Characters of the whole plan. */
const MAX_PLAN = 65_536;
/** Of all arguments together: a value of two characters takes a hundred bytes to keep. */
const MAX_VALUES = 2_000;
/** Levels of a plan, four of them its own. */
const MAX_DEPTH = 32;

const FORM = 'each step of a plan is an object {"tool" or "prompt": …, "arguments": …} or {"resource": …}';

/** The plan a client wrote, or what is wrong with it. */
export function readPlan(written: unknown): Plan | string {
  if (!isObject(written)) return 'a plan is an object {"steps": [{"tool": …, "arguments": …}]}';
  if (isDeeper(written, MAX_DEPTH)) return `a plan has at most ${MAX_DEPTH} levels`;
  const { steps, ...others } = written;
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
    return `"steps" of a plan are 1 to ${MAX_STEPS} objects`;
  if (Object.keys(others).length > 0) return 'a plan has "steps" and nothing else';
  const text = toCanonicalJson(written);
  if (text.length > MAX_PLAN) return `a plan has at most ${MAX_PLAN} characters`;
  const read: Step[] = [];
  for (const step of steps) {
    const one = readStep(step);
    if (typeof one === 'string') return one;
    read.push(one);
  }
  if (read.reduce((sum, step) => sum + countValues(step), 0) > MAX_VALUES)
    return `a plan has at most ${MAX_VALUES} values`;
  return { digest: createHash('sha256').update(text).digest('hex'), steps: read, written };
}

/** What the plan has instead is not said: whoever wrote the call may be whom the plan is to stop. */
const KEEP_TO_IT = 'Do what the plan says; whoever plans can begin a new run with another plan.';

export const ENDED = 'The plan of this run has ended, and the run with it. Begin a new run.';

/** Why a use is not in the plan; `undefined`: it is. */
export function whyOutside(plan: FixedPlan, use: Use, endpoint: Endpoint): string | undefined {
  if (plan.isEnded === true) return ENDED;
  if (plan.endpoint !== toEndpointText(endpoint))
    return 'The plan of this run was fixed at another endpoint, where names mean other things. Use that one.';
  const steps = plan.steps.filter(({ kind, name }) => kind === use.kind && name === use.name);
  if (steps.length === 0) return `The plan of this run does not have this ${use.kind}. ${KEEP_TO_IT}`;
  const reasons = steps.map((step) => whyOutsideStep(step, use.arguments));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/**
 * Did the plan compare numbers? Then the arguments are sent as they were compared: of `6.99999999999999999` a double
 * makes 7, and a server that reads decimals 6.
 */
export function comparesNumbers({ steps }: Plan, { kind, name, arguments: args }: Use): boolean {
  return steps.some(
    (step) =>
      step.kind === kind &&
      step.name === name &&
      Object.entries(args).some(
        ([argument, value]) => step.arguments?.get(argument)?.kind === 'values' && holdsNumber(value),
      ),
  );
}

/** An endpoint as the API and the stores write it: `all`, `server/NAME` or `bundle/NAME`. */
export function toEndpointText(endpoint: Endpoint): string {
  return endpoint.kind === 'all' ? 'all' : `${endpoint.kind}/${endpoint.name}`;
}

/** Does the plan say that this argument is a handle? Then whoever made the plan chose where the kept text goes. */
export function plansHandle(plan: FixedPlan, { publicTarget, body: args, endpoint }: Envelope): boolean {
  const use: Use = { kind: 'tool', name: publicTarget, arguments: args };
  if (whyOutside(plan, use, endpoint) !== undefined) return false;
  return plan.steps.some(
    (step) =>
      step.kind === 'tool' &&
      step.name === use.name &&
      step.arguments !== undefined &&
      whyOutsideStep(step, args) === undefined &&
      Object.entries(args).every(
        ([name, value]) => !holdsHandle(value) || step.arguments?.get(name)?.kind === 'handle',
      ),
  );
}

function readStep(written: unknown): Step | string {
  if (!isObject(written)) return FORM;
  const { arguments: args, ...named } = written;
  const [first, second] = Object.entries(named);
  const kind = USES.find((use) => use === first?.[0]);
  const name = first?.[1];
  if (kind === undefined || second !== undefined || typeof name !== 'string' || name === '') return FORM;
  if (args === undefined) return { kind, name };
  if (kind === 'resource') return 'a resource of a plan has no "arguments": its URI says all';
  if (!isObject(args) || Object.keys(args).length > MAX_ARGUMENTS)
    return `"arguments" of a step are at most ${MAX_ARGUMENTS} constraints by name`;
  const constraints = new Map<string, Constraint>();
  for (const [argument, value] of Object.entries(args)) {
    const constraint = readConstraint(value);
    if (typeof constraint === 'string') return constraint;
    if (constraint.kind === 'handle' && kind !== 'tool') return 'handles are opened in arguments of tools only';
    if (kind === 'prompt' && isObject(value) && holdsNumber(Object.values(value)))
      return 'arguments of prompts are texts';
    constraints.set(argument, constraint);
  }
  return { kind, name, arguments: constraints };
}

const CONSTRAINT = 'a constraint is one of {"equals": value}, {"oneOf": [values]}, {"handle": true} and {"any": true}';

function readConstraint(written: unknown): Constraint | string {
  if (!isObject(written)) return CONSTRAINT;
  const [first, second] = Object.entries(written);
  if (first === undefined || second !== undefined) return CONSTRAINT;
  const [kind, value] = first;
  if ((kind === 'any' || kind === 'handle') && value === true) return { kind };
  const values = kind === 'equals' ? [value] : kind === 'oneOf' && Array.isArray(value) ? value : [];
  if (values.length === 0) return CONSTRAINT;
  if (!values.every(isExact)) return 'numbers of a plan are exact: whole ones below 2^53, or write them as text';
  return { kind: 'values', values: new Set(values.map(toCanonicalJson)) };
}

function countValues({ arguments: constraints }: Step): number {
  let count = 0;
  for (const one of constraints?.values() ?? []) count += one.kind === 'values' ? one.values.size : 1;
  return count;
}

function whyOutsideStep({ arguments: constraints }: Step, args: JsonObject): string | undefined {
  if (constraints === undefined) return undefined;
  const isExactly = isExact(args);
  for (const [name, value] of Object.entries(args)) {
    const constraint = constraints.get(name);
    const shown = JSON.stringify(name.slice(0, 64));
    if (constraint === undefined)
      return `The plan of this run does not have the argument ${shown} here. Leave it out. ${KEEP_TO_IT}`;
    if (constraint.kind === 'handle' && (typeof value !== 'string' || findHandle(value) === undefined))
      return `The plan of this run has a handle as the argument ${shown}. Give it one {{handle:…}} of an earlier result and nothing else.`;
    if (
      constraint.kind === 'values' &&
      !(constraint.values.has(toCanonicalJson(value)) && (isExactly || !holdsNumber(value)))
    )
      return `The plan of this run has another value of the argument ${shown}. Give the planned one. ${KEEP_TO_IT}`;
  }
  for (const [name, { kind }] of constraints)
    if (kind !== 'any' && !Object.hasOwn(args, name))
      return `The plan of this run has the argument ${JSON.stringify(name.slice(0, 64))}, which is missing. Call again with it.`;
  return undefined;
}

function holdsHandle(value: unknown): boolean {
  if (typeof value === 'string') return findHandle(value) !== undefined;
  if (Array.isArray(value)) return value.some(holdsHandle);
  return isObject(value) && Object.values(value).some(holdsHandle);
}

/**
 * Of two large numbers that one double stands for, the server gets the one that was sent: what is compared as a double
 * would pass for its neighbour, e.g. as the number of another account.
 */
function isExact(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  if (Array.isArray(value)) return value.every(isExact);
  return !isObject(value) || Object.values(value).every(isExact);
}

function holdsNumber(value: unknown): boolean {
  if (typeof value === 'number') return true;
  if (Array.isArray(value)) return value.some(holdsNumber);
  return isObject(value) && Object.values(value).some(holdsNumber);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
