import { FaultError, toFault } from '../core/errors.ts';

/** What came of one step. `detail` says what was seen, `fix` what to do about it. */
export interface Finding {
  readonly outcome: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly fix?: string;
  /** Exit code of a failure, when not the one of its step. */
  readonly exit?: number;
}

/** One question of the doctor. */
export interface Step {
  readonly name: string;
  /** Exit code when it fails. */
  readonly exit: number;
  /** It is given up after this long. Milliseconds. */
  readonly deadlineMs: number;
  /** What being late means here. */
  readonly late?: (seconds: string) => Pick<Finding, 'detail' | 'fix'>;
  /** Aborted at the deadline and on Ctrl-C. */
  run(signal: AbortSignal): Finding | Promise<Finding>;
}

export interface StepReport {
  readonly step: string;
  readonly outcome: Finding['outcome'] | 'not_reached';
  readonly ms: number;
  readonly detail: string;
  readonly fix: string | undefined;
  readonly exit: number;
}

export interface StepRules {
  readonly signal: AbortSignal;
  /** One failure says nothing about the others: all are run. */
  readonly independent?: boolean;
  /** Called as each step ends. */
  readonly report: (report: StepReport) => void;
}

/**
 * Runs steps one after another; after the first that fails, the others are not reached. Never waits longer than the
 * deadlines say.
 * @throws FaultError `cancelled` on Ctrl-C.
 */
export async function runSteps(steps: readonly Step[], rules: StepRules): Promise<readonly StepReport[]> {
  const reports: StepReport[] = [];
  let failed = false;
  for (const step of steps) {
    const report = failed && rules.independent !== true ? toNotReached(step) : await runStep(step, rules.signal);
    if (report.outcome === 'failed') failed = true;
    reports.push(report);
    rules.report(report);
  }
  return reports;
}

function toNotReached(step: Step): StepReport {
  return { step: step.name, outcome: 'not_reached', ms: 0, detail: 'not reached', fix: undefined, exit: 0 };
}

async function runStep(step: Step, signal: AbortSignal): Promise<StepReport> {
  const startedAt = performance.now();
  const { outcome, detail, fix, exit } = await withinDeadline(step, signal);
  const ms = Math.round(performance.now() - startedAt);
  return { step: step.name, outcome, ms, detail, fix, exit: outcome === 'failed' ? (exit ?? step.exit) : 0 };
}

async function withinDeadline(step: Step, signal: AbortSignal): Promise<Finding> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), step.deadlineMs);
  const both = AbortSignal.any([signal, deadline.signal]);
  let wake: () => void = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    wake = () => resolve('aborted');
    if (both.aborted) wake();
    both.addEventListener('abort', wake, { once: true });
  });
  try {
    const found = await Promise.race([attempt(step, both), aborted]);
    if (signal.aborted) throw new FaultError('cancelled', 'Interrupted.');
    return found === 'aborted' ? toLate(step) : found;
  } finally {
    clearTimeout(timer);
    both.removeEventListener('abort', wake);
    deadline.abort();
  }
}

async function attempt(step: Step, signal: AbortSignal): Promise<Finding> {
  try {
    return await step.run(signal);
  } catch (error) {
    if (signal.aborted) return toLate(step);
    return toFailure(error);
  }
}

function toLate(step: Step): Finding {
  const seconds = toSeconds(step.deadlineMs);
  const { detail, fix } = step.late?.(seconds) ?? { detail: `It was not done within ${seconds}.`, fix: PATIENCE };
  return { outcome: 'failed', detail, ...(fix === undefined ? {} : { fix }) };
}

export const PATIENCE = 'Give it more time (--timeout 60s), or find out what it waits for.';

/** A thrown fault as a finding; its message names the cause and mostly the fix. */
export function toFailure(error: unknown, fix?: string): Finding {
  const fault = toFault(error);
  const cause = fault.code === 'internal' && fault.cause instanceof Error ? ` ${fault.cause.message}` : '';
  return {
    outcome: 'failed',
    detail: `${fault.forPeople}${cause}`,
    exit: fault.failure.exit,
    ...(fix === undefined ? {} : { fix }),
  };
}

export function toSeconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

/** Exit codes of the doctor: whose trouble it is. */
export const EXIT = Object.freeze({ other: 1, authentication: 3, unreachable: 4 });
