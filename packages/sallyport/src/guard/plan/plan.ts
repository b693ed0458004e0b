import { createHash } from 'node:crypto';
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
}

interface Step {
  /** As clients of the endpoint call it. */
  readonly tool: string;
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

/** The plan a client wrote, or what is wrong with it. */
export function readPlan(written: unknown): Plan | string {
  if (!isObject(written)) return 'a plan is an object {"steps": [{"tool": …, "arguments": …}]}';
  const { steps, ...others } = written;
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
    return `"steps" of a plan are 1 to ${MAX_STEPS} objects`;
  if (Object.keys(others).length > 0) return 'a plan has "steps" and nothing else';
  const text = toCanonical(written);
  if (text.length > MAX_PLAN) return `a plan has at most ${MAX_PLAN} characters`;
  const read: Step[] = [];
  for (const step of steps) {
    const one = readStep(step);
    if (typeof one === 'string') return one;
    read.push(one);
  }
  return { digest: createHash('sha256').update(text).digest('hex'), steps: read };
}

/** Why a call is not in the plan; `undefined`: it is. */
export function whyOutside(plan: Plan, tool: string, args: JsonObject): string | undefined {
  const steps = plan.steps.filter((step) => step.tool === tool);
  if (steps.length === 0) return 'The plan of this run does not have this tool.';
  const reasons = steps.map((step) => whyOutsideStep(step, args));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** Does the plan say that this argument is a handle? Then whoever made the plan chose where the kept text goes. */
export function plansHandle(plan: Plan, tool: string, args: JsonObject): boolean {
  return plan.steps.some(
    (step) =>
      step.tool === tool &&
      step.arguments !== undefined &&
      whyOutsideStep(step, args) === undefined &&
      Object.entries(args).every(
        ([name, value]) => !holdsHandle(value) || step.arguments?.get(name)?.kind === 'handle',
      ),
  );
}

function readStep(written: unknown): Step | string {
  if (!isObject(written)) return 'each step of a plan is an object {"tool": …, "arguments": …}';
  const { tool, arguments: args, ...others } = written;
  if (typeof tool !== 'string' || tool === '') return 'each step of a plan names its "tool"';
  if (Object.keys(others).length > 0) return 'a step of a plan has "tool" and "arguments" and nothing else';
  if (args === undefined) return { tool };
  if (!isObject(args) || Object.keys(args).length > MAX_ARGUMENTS)
    return `"arguments" of a step are at most ${MAX_ARGUMENTS} constraints by name`;
  const constraints = new Map<string, Constraint>();
  for (const [name, value] of Object.entries(args)) {
    const constraint = readConstraint(value);
    if (constraint === undefined)
      return 'a constraint is one of {"equals": value}, {"oneOf": [values]}, {"handle": true} and {"any": true}';
    constraints.set(name, constraint);
  }
  return { tool, arguments: constraints };
}

function readConstraint(written: unknown): Constraint | undefined {
  if (!isObject(written)) return undefined;
  const [first, second] = Object.entries(written);
  if (first === undefined || second !== undefined) return undefined;
  const [kind, value] = first;
  if (kind === 'equals') return { kind: 'values', values: new Set([toCanonical(value)]) };
  if (kind === 'oneOf' && Array.isArray(value) && value.length > 0)
    return { kind: 'values', values: new Set(value.map(toCanonical)) };
  return (kind === 'any' || kind === 'handle') && value === true ? { kind } : undefined;
}

function whyOutsideStep({ arguments: constraints }: Step, args: JsonObject): string | undefined {
  if (constraints === undefined) return undefined;
  for (const [name, value] of Object.entries(args)) {
    const constraint = constraints.get(name);
    const shown = JSON.stringify(name.slice(0, 64));
    if (constraint === undefined) return `The plan of this run does not have the argument ${shown} of this tool.`;
    if (constraint.kind === 'handle' && (typeof value !== 'string' || findHandle(value) === undefined))
      return `The plan of this run has a handle as the argument ${shown}.`;
    if (constraint.kind === 'values' && !constraint.values.has(toCanonical(value)))
      return `The plan of this run has another value of the argument ${shown}.`;
  }
  for (const [name, { kind }] of constraints)
    if (kind !== 'any' && !Object.hasOwn(args, name))
      return `The plan of this run has the argument ${JSON.stringify(name.slice(0, 64))}, which is missing.`;
  return undefined;
}

function holdsHandle(value: unknown): boolean {
  if (typeof value === 'string') return findHandle(value) !== undefined;
  if (Array.isArray(value)) return value.some(holdsHandle);
  return isObject(value) && Object.values(value).some(holdsHandle);
}

/** JSON with sorted keys; the depth of messages is bounded before. */
function toCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonical(value[key])}`);
  return `{${members.join(',')}}`;
}
