import { FaultError } from '../core/errors.ts';

/** Clients remembered beyond those with requests in flight. */
const MAX_KEPT = 1_000;

export interface InFlightLimits {
  readonly inFlight: number;
  readonly inFlightPerClient: number;
  readonly inFlightBytes: number;
}

/** Counts requests in flight, in all, per client and in bytes, and refuses the one too many. */
export class InFlight {
  #all = 0;
  #bytes = 0;
  /** Kept at zero, too: a map that loses and regains an entry with every call leaves garbage that lives long. */
  readonly #perClient = new Map<string, { count: number }>();
  #idle: (() => void) | undefined;

  get count(): number {
    return this.#all;
  }

  /** @param bytes of the request, which is kept until its answer is there. @throws FaultError `overloaded` or `too_many`. */
  enter(client: string, bytes: number, limits: InFlightLimits): void {
    if (this.#all >= limits.inFlight)
      throw new FaultError('overloaded', `Sallyport has ${limits.inFlight} requests in flight. Try again in a moment.`);
    if (this.#bytes + bytes > limits.inFlightBytes)
      throw new FaultError(
        'overloaded',
        `The requests in flight hold ${limits.inFlightBytes} bytes together. Try again in a moment.`,
      );
    const mine = this.#perClient.get(client) ?? this.#add(client);
    if (mine.count >= limits.inFlightPerClient) {
      throw new FaultError(
        'too_many',
        `This client has ${limits.inFlightPerClient} requests in flight. Wait for one to end.`,
      );
    }
    this.#all++;
    this.#bytes += bytes;
    mine.count++;
  }

  leave(client: string, bytes: number): void {
    this.#all--;
    this.#bytes -= bytes;
    const mine = this.#perClient.get(client);
    if (mine !== undefined) mine.count--;
    if (this.#all === 0) this.#idle?.();
  }

  #add(client: string): { count: number } {
    if (this.#perClient.size >= MAX_KEPT)
      for (const [key, { count }] of this.#perClient) if (count === 0) this.#perClient.delete(key);
    const mine = { count: 0 };
    this.#perClient.set(client, mine);
    return mine;
  }

  /** Resolves when nothing is in flight. */
  whenIdle(): Promise<void> {
    if (this.#all === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}
