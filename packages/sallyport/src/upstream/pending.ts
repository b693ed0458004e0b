import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Answer } from '../core/message.ts';

/** How long an upstream may take. Milliseconds. */
export interface Timing {
  /** Without a sign of life. */
  readonly timeoutMs: number;
  /** In all, whatever it says. */
  readonly maxTimeoutMs: number;
}

export interface RequestOptions {
  readonly timing: Timing;
  /** The client's request this one serves; `undefined` for our own. */
  readonly exchange?: Exchange;
  /** Never cancelled at the upstream. */
  readonly handshake?: boolean;
  /** A stream that stays open once it is there: no sign that anybody uses the connection. */
  readonly standing?: boolean;
  /** Called with the pending request before it is sent. */
  readonly started?: (pending: Pending) => void;
}

/** One request that waits for its answer, with its deadline: moved by progress and by open questions, up to the hard cap. */
export class Pending {
  readonly id: number;
  readonly method: string;
  /** `undefined` for requests of our own. */
  readonly exchange: Exchange | undefined;
  /** A stream that stays open. */
  readonly standing: boolean;
  readonly startedAt = performance.now();
  /** Questions of the server that the client has not answered yet. */
  questions = 0;
  readonly #timing: Timing;
  readonly #late: (pending: Pending) => void;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (fault: FaultError) => void;
  #activeAt = this.startedAt;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    readonly id: number;
    readonly method: string;
    readonly exchange: Exchange | undefined;
    readonly standing: boolean;
    readonly timing: Timing;
    readonly late: (pending: Pending) => void;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (fault: FaultError) => void;
  }) {
    this.id = options.id;
    this.method = options.method;
    this.exchange = options.exchange;
    this.standing = options.standing;
    this.#timing = options.timing;
    this.#late = options.late;
    this.#resolve = options.resolve;
    this.#reject = options.reject;
    this.#wait(Math.min(options.timing.timeoutMs, options.timing.maxTimeoutMs));
  }

  /** The upstream is at work: the deadline starts anew. Costs no timer; the one that runs looks again when it fires. */
  touch(): void {
    this.#activeAt = performance.now();
  }

  /** Takes the deadline away from a stream that stays open. */
  keepOpen(): void {
    clearTimeout(this.#timer);
  }

  resolve(answer: Answer): void {
    this.#settle();
    this.#resolve(answer);
  }

  reject(fault: FaultError): void {
    this.#settle();
    this.#reject(fault);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    if (this.exchange !== undefined) this.exchange.onCancel = undefined;
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#look(), milliseconds);
  }

  #look(): void {
    const now = performance.now();
    const { timeoutMs, maxTimeoutMs } = this.#timing;
    const cap = this.startedAt + maxTimeoutMs;
    const due = this.questions > 0 ? cap : Math.min(this.#activeAt + timeoutMs, cap);
    // A timer may fire up to a millisecond early.
    if (now >= due - 1) this.#late(this);
    else this.#wait(due - now);
  }
}

/** Of a request that came to no answer in time. */
export function toLate(upstream: string, method: string, options: RequestOptions): FaultError {
  return new FaultError('timeout', `"${upstream}" did not answer ${method} in time. ${toFix(method, options)}`);
}

function toFix(method: string, { handshake }: RequestOptions): string {
  if (handshake === true) return 'Look at its log, or raise its startTimeoutMs.';
  // A model that repeats a payment because of a late answer pays twice.
  return method === 'tools/call'
    ? 'The call may have run: find out with a call that only reads before you repeat it. The operator can raise its timeoutMs.'
    : 'Try again, or raise its timeoutMs if this takes longer.';
}
