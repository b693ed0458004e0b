import type { Call } from '../core/call.ts';
import { FaultError, firstSentenceOf, IT_RAN } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';

/** One check of the two doors. A guard decides and says why; it never acts. */
export interface Guard {
  readonly name: string;
  /** A guard that answers later has not allowed anything. Left out: 2 s. Milliseconds. */
  readonly deadlineMs?: number;
  /** The outer door: before anything reaches the upstream. */
  request?(call: Call): Verdict | Promise<Verdict>;
  /**
   * Does this guard need the parsed result of this call? When no guard does, the bytes are forwarded unread.
   * @param message the answer as it came, JSON text, while it is not known whether anybody needs it
   */
  readsResult?(call: Call, message?: Buffer): boolean;
  /** The inner door: before anything reaches the client. */
  result?(call: Call, result: JsonObject): Verdict | Promise<Verdict>;
}

/** What the guards of one door decided together. */
export interface Decision {
  /** Of the guard that ended the inspection, else of the last rewrite, else allow. */
  readonly verdict: Verdict;
  /** Whose verdict it is; `undefined` when every guard allowed. */
  readonly guard: string | undefined;
  /** The arguments (outer door) or the result (inner door) after all rewrites; `undefined`: as they came. */
  readonly rewritten: JsonObject | undefined;
  /** What a guard that failed threw. For the log only: it may hold anything. */
  readonly cause: unknown;
}

const DEADLINE_MS = 2_000;

const ALLOWED: Decision = Object.freeze({ verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined });

const DENY_CODES: ReadonlySet<unknown> = new Set([
  'denied',
  'schema',
  'not_found',
  'too_large',
  'too_many',
  'invalid_params',
]);

/** The outer door. Synchronous when every guard is: this is the hot path. Never throws. */
export function inspectRequest(guards: readonly Guard[], call: Call): Decision | Promise<Decision> {
  return inspect(guards, { phase: 'request', call, result: undefined });
}

/** The inner door, for the guards that read this result. Never throws. */
export function inspectResult(guards: readonly Guard[], call: Call, result: JsonObject): Decision | Promise<Decision> {
  return inspect(guards, { phase: 'result', call, result });
}

/** Must the result of this call be parsed? Yes for a guard that does not say, or fails while saying. */
export function needsResult(guards: readonly Guard[], call: Call, message?: Buffer): boolean {
  for (const guard of guards) {
    if (guard.result === undefined) continue;
    try {
      if (guard.readsResult === undefined || guard.readsResult(call, message) !== false) return true;
    } catch {
      return true;
    }
  }
  return false;
}

interface Subject {
  readonly phase: 'request' | 'result';
  readonly call: Call;
  readonly result: JsonObject | undefined;
}

function inspect(guards: readonly Guard[], subject: Subject): Decision | Promise<Decision> {
  let at = subject;
  let decision = ALLOWED;
  for (let i = 0; i < guards.length; i++) {
    // True by the bound of the loop; an iterator would cost more than most guards.
    const guard = guards[i] as Guard;
    try {
      const answer = ask(guard, at);
      if (answer === ALLOW) continue;
      if (isThenable(answer)) return inspectLater(guards.slice(i), { at, decision, pending: answer });
      decision = weigh(guard, answer, decision);
    } catch (error) {
      return failed(guard, error, at.phase);
    }
    if (ends(decision)) return decision;
    at = apply(at, decision);
  }
  return decision;
}

interface Progress {
  readonly at: Subject;
  readonly decision: Decision;
  readonly pending: PromiseLike<unknown>;
}

/** The rest of the inspection from the first guard that needs time; `pending` is that guard's answer. */
async function inspectLater(guards: readonly Guard[], progress: Progress): Promise<Decision> {
  let { at, decision } = progress;
  let pending: PromiseLike<unknown> | undefined = progress.pending;
  for (const guard of guards) {
    try {
      const answer: unknown = pending ?? ask(guard, at);
      pending = undefined;
      decision = weigh(guard, isThenable(answer) ? await inTime(answer, guard.deadlineMs) : answer, decision);
    } catch (error) {
      return failed(guard, error, at.phase);
    }
    if (ends(decision)) return decision;
    at = apply(at, decision);
  }
  return decision;
}

function ask(guard: Guard, { phase, call, result }: Subject): unknown {
  if (phase === 'request') return guard.request === undefined ? ALLOW : guard.request(call);
  if (guard.result === undefined || result === undefined) return ALLOW;
  if (guard.readsResult !== undefined && guard.readsResult(call) === false) return ALLOW;
  return guard.result(call, result);
}

function weigh(guard: Guard, answer: unknown, before: Decision): Decision {
  // Fail closed: what is not one of the four verdicts, complete with its reason, is a broken guard.
  if (!isVerdict(answer)) throw new TypeError('the guard returned no verdict');
  if (answer.kind === 'allow') return before;
  const rewritten = answer.kind === 'rewrite' ? answer.value : before.rewritten;
  return { verdict: answer, guard: guard.name, rewritten, cause: undefined };
}

function ends({ verdict }: Decision): boolean {
  return verdict.kind === 'deny' || verdict.kind === 'ask';
}

function apply(subject: Subject, { rewritten }: Decision): Subject {
  if (rewritten === undefined) return subject;
  if (subject.phase === 'result') return subject.result === rewritten ? subject : { ...subject, result: rewritten };
  if (subject.call.arguments === rewritten) return subject;
  return { ...subject, call: { ...subject.call, arguments: rewritten } };
}

/** What a verdict of each kind may say. One that says more has a condition nobody here would keep. */
const MEMBERS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['allow', new Set(['kind'])],
  ['rewrite', new Set(['kind', 'value', 'reason'])],
  ['ask', new Set(['kind', 'reason', 'classes', 'people', 'untrusted'])],
  ['deny', new Set(['kind', 'reason', 'code'])],
]);

function isVerdict(value: unknown): value is Verdict {
  if (!isObject(value)) return false;
  const { kind, reason } = value;
  const members = MEMBERS.get(kind);
  if (members === undefined || !Object.keys(value).every((key) => members.has(key))) return false;
  if (kind === 'allow') return true;
  if (typeof reason !== 'string') return false;
  if (kind === 'rewrite') return isObject(value['value']);
  if (kind === 'deny') return DENY_CODES.has(value['code']);
  const { classes, people, untrusted } = value;
  if (untrusted !== undefined && untrusted !== true) return false;
  return (people === undefined || people === 2) && (classes === undefined || isListOfNames(classes));
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function failed(guard: Guard, cause: unknown, phase: Subject['phase']): Decision {
  // The cause stays out of the reason: a guard's error may quote the arguments it was looking at. What a store says that
  // was late or locked is made of words of ours.
  const known = cause instanceof FaultError && cause.code === 'overloaded' ? ` ${firstSentenceOf(cause.message)}` : '';
  const reason =
    phase === 'request'
      ? `The guard "${guard.name}" failed, so the call was not made.${known} Try again; if it fails again, ask the operator to look into the log.`
      : `The guard "${guard.name}" failed, so the result of the call is withheld.${known} ${IT_RAN}`;
  return { verdict: { kind: 'deny', reason, code: 'denied' }, guard: guard.name, rewritten: undefined, cause };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function inTime(answer: PromiseLike<unknown>, ms = DEADLINE_MS): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no verdict within ${ms} ms`)), ms);
    // The handlers stay attached after the deadline: a late rejection is then nobody's unhandled rejection.
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
