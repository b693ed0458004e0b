import type { HttpResponse } from './http-exchange.ts';
import { unread } from './unread.ts';

/** Unread by one client, answers apart. Beyond it the reader counts as gone: what upstreams say must not pile up for it. Bytes. */
export const MAX_UNREAD = 4_194_304;
/** Unread answers: room for some of the largest an upstream may give, not for whoever asks on and on and never reads. Bytes. */
const MAX_ANSWERS = 67_108_864;

/** A response, or the process's own output. */
type Sink = Pick<HttpResponse, 'write' | 'destroyed' | 'writableEnded' | 'writableLength' | 'destroy'>;

/** A stream on which answers and everything else share the way to one client; text is binary, one character per byte. */
export class Outbox {
  readonly #stream: Sink;
  readonly #caller: string;
  /** Bytes of answers not taken yet: a large one is no sign of a reader that stopped. */
  #answers = 0;

  constructor(stream: Sink, caller: string) {
    this.#stream = stream;
    this.#caller = caller;
  }

  /** False: too many answers are unread, and this one was not written. */
  answer(text: string): boolean {
    if (!this.#isOpen()) return true;
    if (this.#answers > MAX_ANSWERS) return false;
    this.#answers += text.length;
    this.#stream.write(text, 'latin1', () => {
      this.#answers -= text.length;
    });
    unread.wrote(this.#stream, this.#caller, text.length);
    return true;
  }

  /** False: too much is unread, and this was not written. */
  tell(text: string): boolean {
    if (!this.#isOpen()) return true;
    if (this.#stream.writableLength - this.#answers > MAX_UNREAD) return false;
    this.#stream.write(text, 'latin1');
    unread.wrote(this.#stream, this.#caller, text.length);
    return true;
  }

  /** Resolves when all that was written has been taken, or never will be. */
  taken(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOpen()) this.#stream.write('', 'latin1', () => resolve());
      else resolve();
    });
  }

  /** Writing after the end would be an error that nobody listens for. */
  #isOpen(): boolean {
    return !this.#stream.destroyed && !this.#stream.writableEnded;
  }
}
