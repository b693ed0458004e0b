import { IdTable } from '../core/id-table.ts';
import type { HttpReply } from './reply.ts';

/** Anything that is kept from being cut by proxies while it is quiet. */
interface Quiet {
  keepAlive(): void;
  /** Ends it where its caller may not come in any more; asked every second. */
  check?(): void;
}

const TICK_MS = 1_000;
/** A call this old is turned into an event stream, so that no proxy or client takes its silence for death. */
const STREAM_AFTER_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** Looks after waiting replies and open streams: one timer for all of them, none while there are none. */
export class Streams {
  readonly #waiting = new IdTable<HttpReply>();
  #lastId = 0;
  readonly #quiet = new Map<Quiet, number>();
  #timer: NodeJS.Timeout | undefined;

  /** A reply that waits for its answer, until it has it. */
  wait(reply: HttpReply): void {
    const id = this.#waiting.nextId(this.#lastId);
    this.#lastId = id;
    this.#waiting.set(id, reply);
    reply.waitIn(this, id);
    reply.quietUntil = performance.now() + STREAM_AFTER_MS;
    this.#run();
  }

  /** The reply has its answer. */
  forget(id: number): void {
    this.#waiting.delete(id);
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
    for (const reply of this.#waiting.values()) {
      if (now < reply.quietUntil || !reply.openStream()) continue;
      reply.keepAlive();
      reply.quietUntil = now + KEEP_ALIVE_MS;
    }
    for (const [stream, since] of this.#quiet) {
      stream.check?.();
      if (now - since < KEEP_ALIVE_MS) continue;
      stream.keepAlive();
      this.#quiet.set(stream, now);
    }
    if (this.#waiting.size === 0 && this.#quiet.size === 0) this.close();
  }
}
