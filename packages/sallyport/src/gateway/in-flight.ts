import { FaultError } from '../core/errors.ts';

/** Counts requests in flight, in all and per client, and refuses the one too many. */
export class InFlight {
  #all = 0;
  readonly #perClient = new Map<string, number>();
  #idle: (() => void) | undefined;

  get count(): number {
    return this.#all;
  }

  /** @throws FaultError `overloaded` or `too_many`. */
  enter(client: string, limits: { readonly inFlight: number; readonly inFlightPerClient: number }): void {
    if (this.#all >= limits.inFlight)
      throw new FaultError('overloaded', `Sallyport has ${limits.inFlight} requests in flight. Try again in a moment.`);
    const mine = this.#perClient.get(client) ?? 0;
    if (mine >= limits.inFlightPerClient) {
      throw new FaultError(
        'too_many',
        `This client has ${limits.inFlightPerClient} requests in flight. Wait for one to end.`,
      );
    }
    this.#all++;
    this.#perClient.set(client, mine + 1);
  }

  leave(client: string): void {
    this.#all--;
    const mine = (this.#perClient.get(client) ?? 1) - 1;
    if (mine <= 0) this.#perClient.delete(client);
    else this.#perClient.set(client, mine);
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
