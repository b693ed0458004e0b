import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';

export interface BreakerOptions {
  readonly name: string;
  /** Failures in a row that open it. */
  readonly failures: number;
  readonly openMs: number;
  readonly clock: Clock;
}

/** Answers for an upstream that keeps failing, so that callers do not wait for it; lets one call through from time to time. */
export class Breaker {
  readonly #options: BreakerOptions;
  #inRow = 0;
  #openUntil = 0;
  #probing = false;
  #isQuoting = false;
  #reason = '';

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get open(): boolean {
    return this.#openUntil > this.#options.clock.now();
  }

  /**
   * Lets a call in, or not.
   * @throws FaultError `unreachable` while open, and while one call tries whether the upstream is back.
   */
  admit(): void {
    if (this.#inRow < this.#options.failures) return;
    const now = this.#options.clock.now();
    if (now >= this.#openUntil && !this.#probing) {
      this.#probing = true;
      return;
    }
    const wait = Math.max(1, Math.ceil((this.#openUntil - now) / 1000));
    throw new FaultError(
      'unreachable',
      `"${this.#options.name}" failed ${this.#inRow} times in a row and is tried again in ${wait} s. ${this.#reason}`,
      {
        data: { retryAfterMs: Math.max(0, this.#openUntil - now) },
        isQuoting: this.#isQuoting,
      },
    );
  }

  succeeded(): void {
    this.#inRow = 0;
    this.#probing = false;
    this.#openUntil = 0;
  }

  failed(fault: FaultError): void {
    this.#inRow++;
    this.#probing = false;
    this.#reason = fault.message;
    this.#isQuoting = fault.isQuoting;
    if (this.#inRow >= this.#options.failures) this.#openUntil = this.#options.clock.now() + this.#options.openMs;
  }

  /** The call ended in a way that says nothing about the upstream, e.g. it was cancelled. */
  passed(): void {
    this.#probing = false;
  }
}
