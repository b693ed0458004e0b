import type { Envelope, EnvelopeKind, FrozenSnapshot } from '../core/envelope.ts';
import { FaultError, firstSentenceOf, IT_RAN } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { isLarge, rawOf, withRawBody } from '../core/large-body.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';

/** One check that messages pass, in either direction. A guard decides and says why; it never acts. */
export interface Guard {
  readonly name: string;
  /** A guard that answers later has not allowed anything. Left out: 2 s. Milliseconds. */
  readonly deadlineMs?: number;
  /** The kinds it has something to say of; all others pass it unasked. */
  readonly kinds: readonly EnvelopeKind[];
  /** Is there anything to decide under this configuration? Left out: always. */
  isOn?(snapshot: FrozenSnapshot): boolean;
  /** Judging it leaves this machine, so that it is asked only once nothing else is open, a person's answer included. */
  readonly isLast?: boolean;
  /**
   * Must it read what the server sends while it works on this request? Where no guard must, the bytes are forwarded unread.
   * Left out: it must.
   * @param message the answer as it came, JSON text, where there is one
   */
  reads?(asked: Envelope, message?: Buffer): boolean;
  /** Its work grows with the message: a large one is judged in a worker thread, by the guard of this name there. */
  readonly isReader?: boolean;
  /** What it decides when there was no time to read a large message. Left out: it is denied. */
  late?(envelope: Envelope): Verdict | Promise<Verdict>;
  /** The body of a rewrite takes the place of the envelope's for all guards after this one. */
  judge(envelope: Envelope): Verdict | Promise<Verdict>;
}

/** What the guards decided together. */
export interface Decision {
  /** Of the guard that ended the inspection, else of the last rewrite, else allow. */
  readonly verdict: Verdict;
  /** Whose verdict it is; `undefined` when every guard allowed. */
  readonly guard: string | undefined;
  /** The body after all rewrites; `undefined`: as it came. */
  readonly rewritten: JsonObject | undefined;
  /** The same as JSON text, where the last rewrite came as such: `rewritten` is parsed from it when somebody asks. */
  readonly raw?: Buffer | undefined;
  /** What a guard that failed threw. For the log only: it may hold anything. */
  readonly cause: unknown;
}

const DEADLINE_MS = 2_000;
/** Of a large message: the thread that reads it has limits of its own in processor time. */
const LARGE_DEADLINE_MS = 120_000;

const ALLOWED: Decision = Object.freeze({ verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined });

const DENY_CODES: ReadonlySet<unknown> = new Set([
  'denied',
  'schema',
  'not_found',
  'too_large',
  'too_many',
  'invalid_params',
]);

/** The guards that judge one kind of message under one configuration, in their order. */
export interface Chain {
  readonly guards: readonly Guard[];
  /** Those that are asked last. */
  readonly last: readonly Guard[];
}

export type Chains = (kind: EnvelopeKind, snapshot: FrozenSnapshot) => Chain;

/** A rewrite of a large message, as JSON text. */
export class LargeRewrite {
  readonly kind = 'rewrite';
  readonly reason: string;
  readonly #raw: Buffer;
  #value: JsonObject | undefined;

  constructor(raw: Buffer, reason: string) {
    this.#raw = raw;
    this.reason = reason;
  }

  get raw(): Buffer {
    return this.#raw;
  }

  get value(): JsonObject {
    this.#value ??= JSON.parse(this.#raw.toString('utf8')) as JsonObject;
    return this.#value;
  }
}

/** Judges large messages elsewhere, as their guards would. */
export interface LargeMessages {
  judge(guard: Guard, envelope: Envelope): Promise<Verdict>;
  /** A large message may come soon: what judges it is started now, so that nobody waits for that. */
  expect(): void;
}

/** A run with results of this size has larger ones as a rule. Bytes. */
const EXPECTED_FROM = 4_096;

/**
 * Worked out once for each kind and snapshot.
 * @param large left out: large messages are judged here
 */
export function createChains(all: readonly Guard[], large?: LargeMessages): Chains {
  const guards = large === undefined ? all : all.map((guard) => withThread(guard, large));
  const known = new WeakMap<FrozenSnapshot, Map<EnvelopeKind, Chain>>();
  return (kind, snapshot) => {
    let chains = known.get(snapshot);
    if (chains === undefined) {
      chains = new Map();
      known.set(snapshot, chains);
    }
    let chain = chains.get(kind);
    if (chain === undefined) {
      const all = guards.filter((one) => one.kinds.includes(kind) && one.isOn?.(snapshot) !== false);
      chain = {
        guards: all.filter(({ isLast }) => isLast !== true),
        last: all.filter(({ isLast }) => isLast === true),
      };
      chains.set(kind, chain);
    }
    return chain;
  };
}

function withThread(guard: Guard, large: LargeMessages): Guard {
  if (guard.isReader !== true) return guard;
  return {
    ...guard,
    judge(envelope) {
      if (isLarge(envelope)) return large.judge(guard, envelope);
      if (envelope.bytes >= EXPECTED_FROM) large.expect();
      return guard.judge(envelope);
    },
  };
}

/**
 * Asks every guard in turn: the first deny or ask ends it, rewrites chain. Synchronous when every guard is: this is the hot
 * path. Never throws.
 */
export function inspect(guards: readonly Guard[], envelope: Envelope): Decision | Promise<Decision> {
  let at = envelope;
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
      return failed(guard, at, error);
    }
    if (ends(decision)) return decision;
    at = apply(at, decision);
  }
  return decision;
}

/**
 * Must what the server sends be parsed? Yes for a guard that does not say, or fails while saying.
 * @param guards of the kind that it would be
 */
export function needsReading(guards: readonly Guard[], asked: Envelope, message?: Buffer): boolean {
  for (const guard of guards) {
    try {
      if (guard.reads === undefined || guard.reads(asked, message) !== false) return true;
    } catch {
      return true;
    }
  }
  return false;
}

interface Progress {
  readonly at: Envelope;
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
      decision = weigh(guard, isThenable(answer) ? await inTime(answer, deadlineOf(guard, at)) : answer, decision);
    } catch (error) {
      return failed(guard, at, error);
    }
    if (ends(decision)) return decision;
    at = apply(at, decision);
  }
  return decision;
}

function ask(guard: Guard, envelope: Envelope): unknown {
  const { asked } = envelope;
  return asked !== undefined && guard.reads !== undefined && guard.reads(asked) === false
    ? ALLOW
    : guard.judge(envelope);
}

function deadlineOf({ isReader, deadlineMs }: Guard, envelope: Envelope): number | undefined {
  return isReader === true && isLarge(envelope) ? LARGE_DEADLINE_MS : deadlineMs;
}

function weigh(guard: Guard, answer: unknown, before: Decision): Decision {
  if (answer instanceof LargeRewrite) return new LargeDecision(guard.name, answer);
  // Fail closed: what is not one of the four verdicts, complete with its reason, is a broken guard.
  if (!isVerdict(answer)) throw new TypeError('the guard returned no verdict');
  if (answer.kind === 'allow') return before;
  // Of a large message that is denied nobody asks for what was rewritten before.
  const kept = answer.kind === 'deny' && before.raw !== undefined ? undefined : before.rewritten;
  const rewritten = answer.kind === 'rewrite' ? answer.value : kept;
  return { verdict: answer, guard: guard.name, rewritten, cause: undefined };
}

/** Its value is parsed when somebody asks for it. */
class LargeDecision implements Decision {
  readonly verdict: LargeRewrite;
  readonly guard: string;
  readonly cause = undefined;

  constructor(guard: string, verdict: LargeRewrite) {
    this.guard = guard;
    this.verdict = verdict;
  }

  get raw(): Buffer {
    return this.verdict.raw;
  }

  get rewritten(): JsonObject {
    return this.verdict.value;
  }
}

function ends({ verdict }: Decision): boolean {
  return verdict.kind === 'deny' || verdict.kind === 'ask';
}

function apply(envelope: Envelope, decision: Decision): Envelope {
  if (decision.raw !== undefined)
    return rawOf(envelope) === decision.raw ? envelope : withRawBody(envelope, decision.raw);
  const { rewritten } = decision;
  return rewritten === undefined || rewritten === envelope.body ? envelope : { ...envelope, body: rewritten };
}

/** What a verdict of each kind may say. One that says more has a condition nobody here would keep. */
const MEMBERS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['allow', new Set(['kind'])],
  ['rewrite', new Set(['kind', 'value', 'reason'])],
  ['ask', new Set(['kind', 'reason', 'classes', 'people', 'untrusted', 'about'])],
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
  const { classes, people, untrusted, about } = value;
  if (about !== undefined && !isObject(about)) return false;
  if (untrusted !== undefined && untrusted !== true) return false;
  return (people === undefined || people === 2) && (classes === undefined || isListOfNames(classes));
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function failed(guard: Guard, { asked }: Envelope, cause: unknown): Decision {
  const verdict = { kind: 'deny', reason: whyFailed(guard, asked !== undefined, cause), code: 'denied' } as const;
  return { verdict, guard: guard.name, rewritten: undefined, cause };
}

const NO_FAULT = { code: undefined, message: '' } as const;

/**
 * The cause stays out of the reason: a guard's error may quote the arguments it was looking at. What a store says that was
 * late or locked is made of words of ours, and so is what is too large to be looked at.
 */
function whyFailed({ name }: Guard, isAnswer: boolean, cause: unknown): string {
  const { code, message } = cause instanceof FaultError ? cause : NO_FAULT;
  if (code === 'too_large')
    return isAnswer
      ? `The result of the call is withheld. ${firstSentenceOf(message)} ${IT_RAN}`
      : `The call was not made. ${message}`;
  const known = code === 'overloaded' ? ` ${firstSentenceOf(message)}` : '';
  return isAnswer
    ? `The guard "${name}" failed, so the result of the call is withheld.${known} ${IT_RAN}`
    : `The guard "${name}" failed, so the call was not made.${known} Try again; if it fails again, ask the operator to look into the log.`;
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
