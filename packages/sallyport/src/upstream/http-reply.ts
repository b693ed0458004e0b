import type { Dispatcher } from 'undici';
import { LARGEST_BODY, takeBody } from '../core/body-pool.ts';
import { FaultError } from '../core/errors.ts';
import { inTurn } from '../core/in-turn.ts';
import { ResponseHead } from './http1-parser.ts';
import type { ResponseReader } from './http1-pool.ts';
import { toRest } from './rest.ts';
import { type SseListener, SseParser } from './sse-parser.ts';

/** How the body of a reply is taken. */
export type BodyMode = 'whole' | 'events' | 'drop';

/** One request on its way. */
export interface RunningExchange {
  /** Closes it; the reader hears nothing more. */
  cancel(): void;
}

/** Whoever waits for one HTTP reply. `ended` or `failed` is called once, last; neither after `cancel`. */
export interface ReplyReader extends SseListener {
  /** The status and headers are there (`reply.status`, `reply.header`). */
  head(reply: HttpReply): BodyMode;
  /** The body, when `head` said `whole`. Followed by `ended`. */
  whole(body: Buffer, reply: HttpReply): void;
  ended(): void;
  failed(error: unknown): void;
  /** More comes than is passed on: the server is to wait. */
  readonly flooded?: boolean;
}

const MAX_BODY = 64 * 1024 * 1024;
/** A body this long is put into memory that is used again. Bytes. */
const POOLED_FROM = 32_768;
/** Bodies from here on are taken in turns of the event loop: each takes a millisecond and more. Bytes. */
const LARGE_BODY = 262_144;
const NOTHING = Buffer.alloc(0);

/**
 * One request's reply, from our own client or from undici's dispatch interface, which spares a stream per reply.
 */
export class HttpReply implements Dispatcher.DispatchHandler, ResponseReader, RunningExchange {
  status = 0;
  readonly #reader: ReplyReader;
  /** As undici gives them, or the whole head as our own client does. */
  #headers: readonly Buffer[] | ResponseHead = [];
  #mode: BodyMode = 'drop';
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #size = 0;
  /** Of a body for which room is made. */
  #length: number | undefined;
  #parser: SseParser | undefined;
  #abort: ((error?: Error) => void) | undefined;
  #over = false;
  #cancelled = false;
  #resume: (() => void) | undefined;

  constructor(reader: ReplyReader) {
    this.#reader = reader;
  }

  /** Closes the exchange; the reader hears nothing more. */
  cancel(): void {
    this.#cancelled = true;
    if (this.#over) return;
    this.#over = true;
    this.#abort?.();
  }

  get flooded(): boolean {
    return this.#reader.flooded === true;
  }

  header(name: string): string | undefined {
    const headers = this.#headers;
    if (headers instanceof ResponseHead) return headers.header(name);
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const key = headers[i];
      if (key?.length === name.length && key.toString('latin1').toLowerCase() === name)
        return headers[i + 1]?.toString('latin1');
    }
    return undefined;
  }

  // Our own client.

  started(abort: () => void): void {
    this.onConnect(abort);
  }

  head(head: ResponseHead): void {
    const length = head.header('content-length');
    if (length !== undefined && Number(length) <= LARGEST_BODY) this.#length = Number(length);
    this.#begin(head.status, head);
  }

  data(chunk: Buffer): void {
    if (this.#over) return;
    if (this.#mode !== 'whole') this.onData(this.#mode === 'events' ? Buffer.from(chunk) : chunk);
    else if (this.#length === undefined) this.onData(Buffer.from(chunk));
    else this.#fill(chunk, this.#length);
  }

  /** The length is known: the body is put where it stays. */
  #fill(chunk: Buffer, length: number): void {
    this.#first ??= length < POOLED_FROM ? Buffer.allocUnsafe(length) : takeBody(length);
    this.#size += chunk.copy(this.#first, this.#size);
  }

  ended(): void {
    this.onComplete();
  }

  failed(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#reader.failed(error);
  }

  // undici.

  onConnect(abort: (error?: Error) => void): void {
    if (this.#over) abort();
    else this.#abort = abort;
  }

  onHeaders(status: number, headers: Buffer[], resume?: () => void): boolean {
    this.#resume = resume;
    // 1xx are announcements; the answer follows.
    if (status >= 200) this.#begin(status, headers);
    return true;
  }

  #begin(status: number, headers: readonly Buffer[] | ResponseHead): void {
    if (this.#over) return;
    this.status = status;
    this.#headers = headers;
    this.#mode = this.#reader.head(this);
    if (this.#mode === 'events') this.#parser = new SseParser(this.#reader);
  }

  onData(chunk: Buffer): boolean {
    if (this.#over) return true;
    const startedAt = this.#resume !== undefined && this.flooded ? performance.now() : 0;
    if (this.#parser !== undefined) {
      if (!this.#parser.push(chunk)) this.#giveUp('An event of its stream is larger than 16 MiB. Ask for less.');
    } else if (this.#mode === 'whole') {
      this.#size += chunk.length;
      if (this.#size > MAX_BODY) this.#giveUp('Its answer is larger than 64 MiB. Ask for less.');
      else if (this.#first === undefined) this.#first = chunk;
      else if (this.#rest === undefined) this.#rest = [this.#first, chunk];
      else this.#rest.push(chunk);
    }
    if (startedAt === 0 || this.#resume === undefined || this.#over) return true;
    setTimeout(this.#resume, toRest(startedAt));
    return false;
  }

  onComplete(): void {
    if (this.#over) return;
    this.#over = true;
    // Sixteen large bodies that end together are not put together and parsed in one go.
    if (this.#mode === 'whole' && this.#size >= LARGE_BODY) inTurn(() => this.#end());
    else this.#end();
  }

  #end(): void {
    if (this.#cancelled) return;
    if (this.#mode === 'whole')
      this.#reader.whole(this.#rest === undefined ? (this.#first ?? NOTHING) : Buffer.concat(this.#rest), this);
    this.#reader.ended();
  }

  onError(error: Error): void {
    this.failed(error);
  }

  #giveUp(reason: string): void {
    this.cancel();
    this.#reader.failed(new FaultError('upstream_protocol', reason));
  }
}
