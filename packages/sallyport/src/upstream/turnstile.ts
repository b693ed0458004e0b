import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { mayTake, type Share, Shares } from '../core/shares.ts';

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
  readonly caller: string;
  readonly enter: (share: Share) => void;
}

/**
 * A limit on what runs at once, with a bounded line in order of arrival. A caller that holds its share waits; others
 * pass it, so that calls of one caller that hang leave room for the next.
 */
export class Turnstile {
  readonly #options: TurnstileOptions;
  readonly #line = new Set<Waiting>();
  readonly #leavers: (() => void)[] = [];
  readonly #shares = new Shares();
  readonly #lineShares = new Shares();
  #inside = 0;

  constructor(options: TurnstileOptions) {
    this.#options = options;
  }

  get inside(): number {
    return this.#inside;
  }

  /** Takes a place when one is free for this caller. The usual case pays no promise. */
  tryEnter(exchange: Exchange): Share | undefined {
    const share = this.#shares.of(toCaller(exchange));
    return mayTake(share.held, this.#options.places - this.#inside) ? this.#take(share) : undefined;
  }

  #take(share: Share): Share {
    this.#inside++;
    share.held++;
    return share;
  }

  /**
   * Waits for a place.
   * @throws FaultError `overloaded` when the line is full or patience ends, `cancelled` when the client left.
   */
  enter(exchange: Exchange): Promise<Share> {
    const { name, line, patienceMs } = this.#options;
    const caller = toCaller(exchange);
    const inLine = this.#lineShares.of(caller);
    if (!mayTake(inLine.held, line - this.#line.size))
      return Promise.reject(
        new FaultError(
          'overloaded',
          `"${name}" is busy and ${this.#line.size} requests wait already. Try again later.`,
        ),
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
        caller,
        enter: (share) => {
          done();
          resolve(this.#take(share));
        },
      };
      const done = () => {
        this.#line.delete(waiting);
        inLine.held--;
        clearTimeout(timer);
        exchange.onCancel = undefined;
      };
      this.#line.add(waiting);
      inLine.held++;
      exchange.onCancel = () => leave(new FaultError('cancelled', 'The client cancelled the request.'));
    });
  }

  /** Resolves once nobody is inside and nobody waits. */
  empty(): Promise<void> {
    if (this.#inside === 0 && this.#line.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#leavers.push(resolve));
  }

  leave(share: Share): void {
    this.#inside--;
    share.held--;
    if (this.#inside === 0 && this.#line.size === 0) for (const resolve of this.#leavers.splice(0)) resolve();
    for (const { caller, enter } of this.#line) {
      const free = this.#options.places - this.#inside;
      if (free <= 0) return;
      const next = this.#shares.of(caller);
      if (mayTake(next.held, free)) enter(next);
    }
  }
}

/** A list serves all clients of a profile: it must not wait for the calls of the one that asked first. No principal is called so. */
const OWN_ERRANDS = '';

function toCaller({ unattended, client }: Exchange): string {
  return unattended === true ? OWN_ERRANDS : client.principal.id;
}
