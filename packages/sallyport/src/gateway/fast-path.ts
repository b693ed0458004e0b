import type { Socket } from 'node:net';
import { type FastHead, FastRequest, readFastHead } from './fast-request.ts';
import { FastResponse } from './fast-response.ts';

export interface FastPathOptions {
  /** Limits of the moment. Bytes and milliseconds. */
  readonly limits: () => { readonly headerBytes: number; readonly headerCount: number; readonly headerMs: number };
  /** Whether the body that belongs to this head may be waited for. */
  readonly isWelcome: (head: FastHead, socket: Socket) => boolean;
  readonly serve: (request: FastRequest, response: FastResponse) => void;
  /** Node's own server takes the connection, with what was read of it back in its buffer. */
  readonly handOver: (socket: Socket) => void;
  /** An idle connection is closed after this long. Milliseconds. */
  readonly keepAliveMs: number;
  /** True: each connection ends with its next answer, which says so. */
  readonly isLeaving: () => boolean;
}

/** A call is a few kilobytes. Larger bodies are read by Node's server, which checks who sends them before it keeps them. */
const MAX_BODY = 65_536;
/** A body that comes in more pieces than this is read by Node's server. */
const MAX_PIECES = 8;
/** Requests sent ahead wait in the connection up to here; then it is not read from. Bytes. */
const MAX_AHEAD = 65_536;
const CHECK_MS = 1_000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * The front's short way for what nearly every request is: a small POST with a plain head. It spares the objects and
 * streams of `node:http`, which cost more than everything Sallyport does itself (docs/performance.md); everything else is
 * handed to `node:http`, connection and all, before a byte of it has been acted upon.
 */
export class FastPath {
  readonly #options: FastPathOptions;
  readonly #connections = new Set<FastConnection>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FastPathOptions) {
    this.#options = options;
  }

  /** Takes a new connection. */
  accept(socket: Socket): void {
    const connection = new FastConnection(socket, this.#options, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Ends each connection as soon as nothing is under way on it. */
  retire(): void {
    for (const connection of this.#connections) connection.retire();
  }

  #check(): void {
    const now = performance.now();
    const { headerMs } = this.#options.limits();
    for (const connection of this.#connections) connection.check(now, headerMs);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

class FastConnection {
  readonly #socket: Socket;
  readonly #options: FastPathOptions;
  readonly #gone: () => void;
  /** What was read and not used yet. */
  #kept: Buffer | undefined;
  #pieces = 0;
  #response: FastResponse | undefined;
  /** The head read last, and what it means: clients repeat themselves. */
  #lastText = '';
  #lastHead: FastHead | undefined;
  /** Since when a request is awaited (idle) or incomplete. `performance.now()`. */
  #since = performance.now();
  #idle = false;
  #isLast = false;

  readonly #onData = (chunk: Buffer) => this.#push(chunk);
  /** Closing the connection is how a client cancels: as with `node:http`, whoever stops sending gets no answer any more. */
  readonly #onEnd = () => this.#socket.end();
  readonly #onClose = () => {
    this.#gone();
    this.#response?.closed();
  };
  readonly #onAnswered = () => this.#answered();
  readonly #onError = () => this.#socket.destroy();

  constructor(socket: Socket, options: FastPathOptions, gone: () => void) {
    this.#socket = socket;
    this.#options = options;
    this.#gone = gone;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
    socket.on('error', this.#onError);
  }

  retire(): void {
    this.#isLast = true;
    if (this.#response === undefined && this.#kept === undefined) this.#socket.destroySoon();
  }

  /** Closes a connection that is too slow or was idle for too long. */
  check(now: number, headerMs: number): void {
    if (this.#response !== undefined) return;
    const waited = now - this.#since;
    if (this.#idle) {
      if (waited >= this.#options.keepAliveMs) this.#socket.destroy();
    } else if (waited >= headerMs) {
      this.#socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n', 'latin1');
      this.#socket.destroySoon();
    }
  }

  #push(chunk: Buffer): void {
    const bytes = this.#kept === undefined ? chunk : Buffer.concat([this.#kept, chunk]);
    if (this.#response === undefined) {
      this.#read(bytes);
      return;
    }
    this.#kept = bytes;
    if (bytes.length > MAX_AHEAD) this.#socket.pause();
  }

  #read(bytes: Buffer): void {
    this.#kept = undefined;
    const end = bytes.indexOf(END_OF_HEAD);
    // A head that does not come in one piece is nothing a client does.
    const head = end < 0 ? undefined : this.#readHead(bytes, end);
    if (head === undefined || head.bodyLength > MAX_BODY) {
      this.#handOver(bytes);
      return;
    }
    const from = end + END_OF_HEAD.length;
    const to = from + head.bodyLength;
    if (bytes.length < to) {
      // Who is to be refused is refused by the head alone, which Node's server can.
      if (++this.#pieces > MAX_PIECES || !this.#options.isWelcome(head, this.#socket)) this.#handOver(bytes);
      else this.#wait(bytes);
      return;
    }
    this.#pieces = 0;
    if (bytes.length > to) this.#kept = bytes.subarray(to);
    this.#serve(new FastRequest(head, bytes.subarray(from, to), this.#socket));
  }

  #readHead(bytes: Buffer, end: number): FastHead | undefined {
    const { headerBytes, headerCount } = this.#options.limits();
    if (end > headerBytes) return undefined;
    const text = bytes.toString('latin1', 0, end);
    if (text !== this.#lastText) {
      this.#lastHead = readFastHead(text, headerCount);
      this.#lastText = text;
    }
    return this.#lastHead;
  }

  #serve(request: FastRequest): void {
    if (this.#options.isLeaving()) this.#isLast = true;
    const lines = this.#isLast ? lastLines() : standingLines(this.#options.keepAliveMs);
    const response = new FastResponse(this.#socket, lines, this.#onAnswered);
    this.#response = response;
    this.#options.serve(request, response);
  }

  #answered(): void {
    this.#response = undefined;
    this.#since = performance.now();
    this.#idle = true;
    if (this.#isLast) {
      this.#socket.destroySoon();
      return;
    }
    if (this.#kept === undefined) return;
    // A client that sends ahead and does not read gets no further answers into memory.
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', () => this.#next());
    else setImmediate(() => this.#next());
  }

  #next(): void {
    const kept = this.#kept;
    if (kept === undefined || this.#response !== undefined || this.#socket.destroyed) return;
    this.#socket.resume();
    this.#idle = false;
    this.#read(kept);
  }

  #wait(bytes: Buffer): void {
    if (this.#idle) this.#since = performance.now();
    this.#idle = false;
    this.#kept = bytes;
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#gone();
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.off('error', this.#onError);
    this.#options.handOver(socket);
    socket.unshift(bytes);
    socket.resume();
  }
}

/** Those of the last response of a connection (RFC 9112 section 9.6). */
function lastLines(): string {
  return `date: ${new Date().toUTCString()}\r\nconnection: close\r\n`;
}

let linesAt = 0;
let lines = '';

/** The header lines of every response. RFC 9110 section 6.6.1: a server with a clock says the time; once a second is enough. */
function standingLines(keepAliveMs: number): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== linesAt) {
    linesAt = second;
    lines =
      `date: ${new Date(second * 1_000).toUTCString()}\r\n` +
      `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n`;
  }
  return lines;
}
