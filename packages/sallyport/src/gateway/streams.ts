import type { HttpReply } from './reply.ts';

/** Anything that is kept from being cut by proxies while it is quiet. */
interface Quiet {
  keepAlive(): void;
}

const TICK_MS = 1_000;
/** A call this old is turned into an event stream, so that no proxy or client takes its silence for death. */
const STREAM_AFTER_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** Looks after waiting replies and open streams: one timer for all of them, none while there are none. */
export class Streams {
  readonly #waiting = new Map<HttpReply, number>();
  readonly #quiet = new Map<Quiet, number>();
  #timer: NodeJS.Timeout | undefined;

  /** A reply that waits for its answer. */
  wait(reply: HttpReply): void {
    this.#waiting.set(reply, performance.now());
    this.#run();
  }

  answered(reply: HttpReply): void {
    this.#waiting.delete(reply);
  }

  open(stream: Quiet): void {
    this.#quiet.set(stream, performance.now());
    this.#run();
  }

  closed(stream: Quiet): void {
    this.#quiet.delete(stream);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #run(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  #tick(): void {
    const now = performance.now();
    for (const [reply, since] of this.#waiting) {
      if (reply.done) this.#waiting.delete(reply);
      else if (now - since >= STREAM_AFTER_MS && reply.openStream()) {
        reply.keepAlive();
        this.#waiting.set(reply, now - STREAM_AFTER_MS + KEEP_ALIVE_MS);
      }
    }
    for (const [stream, since] of this.#quiet) {
      if (now - since < KEEP_ALIVE_MS) continue;
      stream.keepAlive();
      this.#quiet.set(stream, now);
    }
    if (this.#waiting.size === 0 && this.#quiet.size === 0) this.close();
  }
}
