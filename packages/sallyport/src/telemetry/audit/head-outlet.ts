import type { Head } from './recover.ts';

export interface HeadOutletOptions {
  /** At most so often. Milliseconds. */
  readonly everyMs: number;
  readonly send: (head: Head) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Hands the newest head of a chain to somebody slow, now and then and at the end; nobody waits for it. */
export class HeadOutlet {
  readonly #options: HeadOutletOptions;
  #waiting: Head | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trouble = false;

  constructor(options: HeadOutletOptions) {
    this.#options = options;
  }

  /** The last one did not arrive. */
  get isTroubled(): boolean {
    return this.#trouble;
  }

  tell(head: Head): void {
    this.#waiting = head;
    this.#schedule();
  }

  /** Sends the last one. Idempotent. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    clearTimeout(this.#timer);
    await this.#send();
  }

  #schedule(): void {
    if (this.#sending !== undefined) return;
    const dueIn = this.#sentAt + this.#options.everyMs - performance.now();
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#sending = this.#send().finally(() => {
          this.#sending = undefined;
          if (this.#waiting !== undefined) this.#schedule();
        });
      },
      Math.max(0, dueIn),
    ).unref();
  }

  async #send(): Promise<void> {
    const head = this.#waiting;
    if (head === undefined) return;
    this.#waiting = undefined;
    this.#sentAt = performance.now();
    try {
      await this.#options.send(head);
      this.#trouble = false;
    } catch (error) {
      this.#trouble = true;
      this.#waiting ??= head;
      this.#options.failed(error);
    }
  }
}
