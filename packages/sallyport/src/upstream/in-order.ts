import type { OutgoingMessage } from './wire.ts';

/** A server that takes a notification only after this long does not keep its order. Milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Messages that have no answer, on a wire where two POSTs may overtake each other: each leaves once the one before was
 * taken, so that a client's progress for a question of the server comes before its answer.
 */
export class InOrder {
  readonly #post: (message: OutgoingMessage) => void;
  readonly #waiting: OutgoingMessage[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** A server that never replies to a notification must not hold up the answers it waits for. */
  #isGivenUp = false;

  constructor(post: (message: OutgoingMessage) => void) {
    this.#post = post;
  }

  send(message: OutgoingMessage): void {
    if (this.#timer !== undefined) this.#waiting.push(message);
    else this.#start(message);
  }

  /** The reply to a message is there, or never will be. */
  taken(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#start(next);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #start(message: OutgoingMessage): void {
    if (!this.#isGivenUp) this.#timer = setTimeout(() => this.#giveUp(), PATIENCE_MS).unref();
    this.#post(message);
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#timer = undefined;
    for (const message of this.#waiting.splice(0)) this.#post(message);
  }
}
