import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';

export interface TurnstileOptions {
  readonly name: string;
  /** Inside at once. */
  readonly places: number;
  /** In line; more are turned away. */
  readonly line: number;
  /** How long one waits. */
  readonly patienceMs: number;
}

interface Waiting {
  readonly enter: () => void;
}

/** A limit on what runs at once, with a bounded line in order of arrival. */
export class Turnstile {
  readonly #options: TurnstileOptions;
  readonly #line = new Set<Waiting>();
  readonly #leavers: (() => void)[] = [];
  #inside = 0;

  constructor(options: TurnstileOptions) {
    this.#options = options;
  }

  get inside(): number {
    return this.#inside;
  }

  /** Takes a place when one is free. The usual case pays no promise. */
  tryEnter(): boolean {
    if (this.#inside >= this.#options.places || this.#line.size > 0) return false;
    this.#inside++;
    return true;
  }

  /**
   * Waits for a place.
   * @throws FaultError `overloaded` when the line is full or patience ends, `cancelled` when the client left.
   */
  enter(exchange: Exchange): Promise<void> {
    const { name, line, patienceMs } = this.#options;
    if (this.#line.size >= line)
      return Promise.reject(
        new FaultError('overloaded', `"${name}" is busy and ${line} requests wait already. Try again later.`),
      );
    return new Promise((resolve, reject) => {
      const leave = (fault: FaultError) => {
        done();
        reject(fault);
      };
      const timer = setTimeout(
        () =>
          leave(
            new FaultError('overloaded', `"${name}" was busy for ${Math.round(patienceMs / 1000)} s. Try again later.`),
          ),
        patienceMs,
      );
      const waiting: Waiting = {
        enter: () => {
          done();
          this.#inside++;
          resolve();
        },
      };
      const done = () => {
        this.#line.delete(waiting);
        clearTimeout(timer);
        exchange.onCancel = undefined;
      };
      this.#line.add(waiting);
      exchange.onCancel = () => leave(new FaultError('cancelled', 'The client cancelled the request.'));
    });
  }

  /** Resolves once nobody is inside and nobody waits. */
  empty(): Promise<void> {
    if (this.#inside === 0 && this.#line.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#leavers.push(resolve));
  }

  leave(): void {
    this.#inside--;
    if (this.#inside === 0 && this.#line.size === 0) for (const resolve of this.#leavers.splice(0)) resolve();
    for (const waiting of this.#line) {
      if (this.#inside >= this.#options.places) return;
      waiting.enter();
    }
  }
}
