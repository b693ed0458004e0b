import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import { mayTake, type Share, Shares } from '../core/shares.ts';

export interface InFlightLimits {
  readonly inFlight: number;
  readonly inFlightPerClient: number;
  readonly inFlightBytes: number;
}

/** Counts requests in flight, in all, per caller, per client and in bytes, and refuses the one too many. */
export class InFlight {
  #all = 0;
  #bytes = 0;
  readonly #clients = new Shares();
  readonly #callers = new Shares();
  #idle: (() => void) | undefined;

  get count(): number {
    return this.#all;
  }

  /** @param bytes of the request, which is kept until its answer is there. @throws FaultError `overloaded` or `too_many`. */
  enter({ key, principal }: Client, bytes: number, limits: InFlightLimits): void {
    const client = this.#clients.of(key);
    const caller = this.#callers.of(principal.id);
    if (this.#all >= limits.inFlight)
      throw new FaultError('overloaded', `Sallyport has ${limits.inFlight} requests in flight. Try again in a moment.`);
    if (this.#bytes + bytes > limits.inFlightBytes)
      throw new FaultError(
        'overloaded',
        `The requests in flight hold ${limits.inFlightBytes} bytes together. Try again in a moment.`,
      );
    if (client.held >= limits.inFlightPerClient) {
      throw new FaultError(
        'too_many',
        `This client has ${limits.inFlightPerClient} requests in flight. Wait for one to end.`,
      );
    }
    if (
      !mayTake(caller.held, limits.inFlight - this.#all) ||
      !mayTake(caller.bytes, limits.inFlightBytes - this.#bytes)
    )
      throw tooMany(caller);
    this.#all++;
    this.#bytes += bytes;
    client.held++;
    caller.held++;
    caller.bytes += bytes;
  }

  leave({ key, principal }: Client, bytes: number): void {
    this.#all--;
    this.#bytes -= bytes;
    this.#clients.of(key).held--;
    const caller = this.#callers.of(principal.id);
    caller.held--;
    caller.bytes -= bytes;
    if (this.#all === 0) this.#idle?.();
  }

  /** Resolves when nothing is in flight. */
  whenIdle(): Promise<void> {
    if (this.#all === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

function tooMany({ held }: Share): FaultError {
  return new FaultError(
    'too_many',
    `The sessions and programs of this caller have ${held} requests in flight, and the rest is for others. Wait for one to end.`,
  );
}
