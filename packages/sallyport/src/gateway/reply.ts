import { giveBody } from '../core/body-pool.ts';
import { toText, type Written } from '../core/response.ts';
import type { EventLog } from './event-log.ts';
import { FastResponse } from './fast-response.ts';
import type { HttpResponse } from './http-exchange.ts';
import { MAX_UNREAD } from './outbox.ts';
import { retryHeaders } from './retry-headers.ts';
import { unread } from './unread.ts';

/** Where the messages that belong to one request go, whatever the transport. Calls never throw; after the answer nothing more is sent. */
export interface Reply {
  /** A notification or a question that comes before the answer. */
  message(text: string): void;
  /** `status` counts only on HTTP and only while nothing was sent. */
  answer(written: Written, status: number): void;
  /** Header lines of the answer that is still to come. */
  annotate?(headers: Readonly<Record<string, string>>): void;
  /** Ends without an answer, as a cancelled request does. False, or not there: this one has to be answered. */
  end?(): boolean;
  /** Lets the client go; it comes back for the rest. Only where it knows how to. */
  disconnect?(): void;
}

/** Who keeps count of the replies that wait. */
interface Waiters {
  forget(id: number): void;
}

export interface HttpReplyOptions {
  readonly json: boolean;
  readonly stream: boolean;
  /** The client would rather have an event stream, also for a single answer. */
  readonly streamFirst: boolean;
  /** Legacy sessions: events are kept for a client that reconnects. */
  readonly log?: EventLog | undefined;
  /** Say first where to resume (2025-11-25). */
  readonly prime?: boolean;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const JSON_TYPE = 'application/json';
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // nginx would collect events before passing them on (2026-07-28 streamable-http#receiving-messages).
  'x-accel-buffering': 'no',
} as const;

/** A reconnecting client waits this long before it asks again. Milliseconds. */
const RETRY_MS = 500;

/**
 * The answer to one POST: a JSON object while nothing precedes it, an event stream from the first message on.
 * What cannot be written because the client went away is kept in the log, when there is one.
 */
export class HttpReply implements Reply {
  /** Until then nobody needs a sign of life. `performance.now()`. */
  quietUntil = 0;
  #waiting: { readonly streams: Waiters; readonly id: number } | undefined;
  #response: HttpResponse | undefined;
  readonly #options: HttpReplyOptions;
  readonly #caller: string;
  #streamId: number | undefined;
  #headers: Readonly<Record<string, string>> | undefined;
  #done = false;
  #released = false;

  /** @param caller the principal's id */
  constructor(response: HttpResponse, options: HttpReplyOptions, caller: string) {
    this.#caller = caller;
    this.#response = response;
    this.#options = options;
    this.#headers = options.headers;
  }

  get streaming(): boolean {
    return this.#streamId !== undefined;
  }

  get done(): boolean {
    return this.#done;
  }

  /** Whoever looks after it, and under which id, until the answer is given or given up. */
  waitIn(streams: Waiters, id: number): void {
    this.#waiting = { streams, id };
  }

  annotate(headers: Readonly<Record<string, string>>): void {
    this.#headers = this.#headers === undefined ? headers : { ...this.#headers, ...headers };
  }

  message(text: string): void {
    if (this.#done) return;
    if (this.#streamId === undefined && !this.openStream()) return;
    this.#event(text);
  }

  answer(written: Written, status: number): void {
    if (this.#done) return;
    if (this.#streamId === undefined && (!this.#options.json || (this.#options.streamFirst && status === 200)))
      this.openStream();
    if (this.#streamId !== undefined) {
      this.#event(toText(written));
      this.#finish();
      this.#options.log?.finish(this.#streamId);
      this.#response?.end();
      return;
    }
    this.#finish();
    const response = this.#response;
    if (response === undefined || response.destroyed) return;
    const length = typeof written === 'string' ? written.length : lengthOf(written);
    const headers: Record<string, string | number> = { 'content-type': JSON_TYPE, 'content-length': length };
    // Spread syntax would cost 2 us here, on every call.
    if (this.#headers !== undefined) for (const name in this.#headers) headers[name] = this.#headers[name] ?? '';
    if (status !== 200) Object.assign(headers, retryHeaders(status));
    response.writeHead(status, headers);
    if (typeof written === 'string') response.end(written, 'latin1');
    else if (response instanceof FastResponse) response.endInPieces(written);
    else {
      response.end(Buffer.concat(written));
      for (const piece of written) giveBody(piece);
    }
    unread.wrote(response, this.#caller, length);
  }

  end(): boolean {
    if (this.#done || !this.openStream()) return this.#done;
    this.#finish();
    this.#options.log?.finish(this.#streamId ?? 0);
    this.#response?.end();
    return true;
  }

  /** Turns the answer into an event stream, so that a long call lives. False when the client accepts none. */
  openStream(): boolean {
    if (this.#streamId !== undefined || this.#done) return this.streaming;
    if (!this.#options.stream) return false;
    this.#streamId = this.#options.log?.open(this) ?? 0;
    const response = this.#response;
    if (response !== undefined && !response.destroyed) {
      response.writeHead(200, { ...STREAM_HEADERS, ...this.#headers });
      response.flushHeaders();
    }
    if (this.#options.log !== undefined && this.#options.prime === true) {
      const id = this.#options.log.append(this.#streamId, '');
      this.#write(`id: ${id}\nretry: ${RETRY_MS}\ndata: \n\n`);
    }
    return true;
  }

  /** A comment keeps the connection from being cut while nothing happens. */
  keepAlive(): void {
    if (this.#streamId !== undefined && !this.#done) this.#write(':\n\n');
  }

  /** Ends the connection but not the reply: the client comes back for the rest (2025-11-25 polling), once is enough. */
  disconnect(): void {
    const { log, prime } = this.#options;
    if (this.#done || this.#released || log === undefined || prime !== true || !this.openStream()) return;
    this.#released = true;
    this.#response?.end();
    this.#response = undefined;
  }

  /** A client that reconnected takes the place of the lost connection; what it missed was sent by the caller. */
  attach(response: HttpResponse): void {
    this.#response = response;
  }

  /** Gives the connection up without an answer. */
  abort(): void {
    this.#finish();
    this.#response?.destroy();
  }

  #finish(): void {
    this.#done = true;
    this.#waiting?.streams.forget(this.#waiting.id);
    this.#waiting = undefined;
  }

  #event(text: string): void {
    const id = this.#options.log?.append(this.#streamId ?? 0, text);
    this.#write(toEvent(text, id));
  }

  #write(text: string): void {
    if (this.#response !== undefined) writeEvent(this.#response, text, this.#caller);
  }
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

/** Writes to an event stream as long as it is read; never after its end, which would be an error nobody listens for. */
export function writeEvent(response: HttpResponse, text: string, caller: string): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.writableLength > MAX_UNREAD) response.destroy();
  else {
    response.write(text, 'latin1');
    unread.wrote(response, caller, text.length);
  }
}

/** One server-sent event around a JSON-RPC message (a binary string). JSON from a relay may hold raw line ends between tokens. */
export function toEvent(text: string, id: string | undefined): string {
  const data = text.includes('\n') || text.includes('\r') ? text.replaceAll(/\r\n|\r|\n/g, ' ') : text;
  return `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
