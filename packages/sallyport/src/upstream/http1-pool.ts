import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { FaultError } from '../core/errors.ts';
import { WriteGroup } from '../core/write-group.ts';
import { Http1Parser, type ResponseHead } from './http1-parser.ts';
import { toRest } from './rest.ts';

/** Fewer than of answers: a server that has nothing to do could have begun, and with 16 a call took 0.1 ms longer. */
const requests = new WriteGroup(8);

/** Whoever waits for one response. `ended` or `failed` comes once, last. */
export interface ResponseReader {
  /** The request is on its way; `abort` closes its connection. */
  started(abort: () => void): void;
  head(head: ResponseHead): void;
  /** The bytes are the reader's for the time of the call only. */
  data(chunk: Buffer): void;
  ended(): void;
  failed(error: unknown): void;
  /** More comes than is passed on: the server is to wait. */
  readonly flooded?: boolean;
}

export interface Http1PoolOptions {
  readonly origin: URL;
  readonly connectMs: number;
  /** Default: the machine's own. */
  readonly lookup?: LookupFunction | undefined;
}

/** A server closes idle connections; without a word about when, this long is safe with all common ones. Milliseconds. */
const IDLE_MS = 4_000;
/** A request must not meet the server's closing on its way. Milliseconds. */
const HINT_MARGIN_MS = 1_000;
const MAX_IDLE_MS = 600_000;

/**
 * Kept HTTP/1.1 connections to one origin, one request at a time on each. The request path's own client: head and body
 * leave in a single write, and a response is copied once, from where the system put it to where it stays.
 * What is not on that path (streams, GET, DELETE) stays with undici.
 */
export class Http1Pool {
  readonly #options: Http1PoolOptions;
  /** The one used last is taken first: the others may grow idle and be closed. */
  readonly #idle: Http1Connection[] = [];
  readonly #all = new Set<Http1Connection>();
  #closed = false;

  constructor(options: Http1PoolOptions) {
    this.#options = options;
  }

  /** @param message the whole request, head and body, as a binary string */
  send(message: string, reader: ResponseReader): void {
    if (this.#closed) {
      reader.failed(new FaultError('draining', 'The connection is being closed.'));
      return;
    }
    const connection = this.#take() ?? this.#open();
    connection.send(message, reader);
  }

  #take(): Http1Connection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.usable) return connection;
    }
    return undefined;
  }

  #open(): Http1Connection {
    const connection = new Http1Connection(this.#options, {
      free: () => {
        if (this.#closed) connection.close();
        else this.#idle.push(connection);
      },
      gone: () => {
        this.#all.delete(connection);
        const at = this.#idle.indexOf(connection);
        if (at >= 0) this.#idle.splice(at, 1);
      },
    });
    this.#all.add(connection);
    return connection;
  }

  /** Idempotent. Requests in flight fail. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#all]) connection.close();
  }
}

interface Owner {
  free(): void;
  gone(): void;
}

class Http1Connection {
  readonly #socket: Socket;
  readonly #owner: Owner;
  readonly #parser: Http1Parser;
  #reader: ResponseReader | undefined;
  #connecting: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #idleMs = IDLE_MS;
  #idleSince = 0;
  #lastHead: ResponseHead | undefined;
  #ended = false;

  constructor(options: Http1PoolOptions, owner: Owner) {
    this.#owner = owner;
    this.#parser = new Http1Parser({
      head: (head) => {
        if (head !== this.#lastHead) {
          this.#lastHead = head;
          this.#idleMs = toIdleMs(head);
        }
        this.#reader?.head(head);
      },
      data: (chunk) => this.#reader?.data(chunk),
      end: (reusable) => this.#finish(reusable),
    });
    this.#socket = openSocket(options, (chunk) => this.#read(chunk));
    this.#connecting = setTimeout(() => this.#fail(connectTimeout()), options.connectMs);
    this.#socket.once(options.origin.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
      clearTimeout(this.#connecting),
    );
    this.#socket.on('end', () => this.#hangUp());
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#hangUp());
  }

  get usable(): boolean {
    return !this.#ended && this.#reader === undefined && this.#socket.writable;
  }

  send(message: string, reader: ResponseReader): void {
    this.#reader = reader;
    this.#parser.expect();
    reader.started(() => this.close());
    if (!this.#ended) requests.write(this.#socket, message);
  }

  #read(chunk: Buffer): void {
    const startedAt = this.#reader?.flooded === true ? performance.now() : 0;
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.#fail(error);
    }
    if (startedAt === 0 || this.#ended) return;
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), toRest(startedAt));
  }

  #finish(reusable: boolean): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reusable && !this.#ended) {
      this.#idleSince = performance.now();
      if (this.#idleTimer === undefined) this.#watchIdle(this.#idleMs);
      this.#owner.free();
    } else this.close();
    reader?.ended();
  }

  /** One timer per idle time and not one per call: it looks again when it fires. */
  #watchIdle(milliseconds: number): void {
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      if (this.#reader !== undefined) return;
      const left = this.#idleSince + this.#idleMs - performance.now();
      if (left <= 1) this.close();
      else this.#watchIdle(left);
    }, milliseconds);
    this.#idleTimer.unref();
  }

  #hangUp(): void {
    if (this.#parser.finish()) return;
    this.#fail(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }));
  }

  #fail(error: unknown): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.close();
    reader?.failed(error);
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reader = undefined;
    clearTimeout(this.#connecting);
    clearTimeout(this.#idleTimer);
    this.#socket.destroy();
    this.#owner.gone();
  }
}

/**
 * One buffer for the reads of all connections: what is read is used before the next read. Without it every read allocates
 * 64 KiB outside the heap, and the collector runs for that.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

function openSocket({ origin, lookup }: Http1PoolOptions, read: (chunk: Buffer) => void): Socket {
  const { protocol, hostname, port } = origin;
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = {
    host,
    noDelay: true,
    keepAlive: true,
    ...(lookup === undefined ? {} : { lookup }),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
  if (protocol !== 'https:') {
    const callback = (length: number) => {
      read(READ_BUFFER.subarray(0, length));
      return true;
    };
    return connectTcp({ ...address, onread: { buffer: READ_BUFFER, callback } });
  }
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ ...address, ALPNProtocols: ['http/1.1'], ...servername }).on('data', read);
}

/** When the server says it will close an idle connection, less a margin. */
function toIdleMs(head: ResponseHead): number {
  const hint = /timeout=(\d{1,6})/i.exec(head.header('keep-alive') ?? '')?.[1];
  if (hint === undefined) return IDLE_MS;
  return Math.min(Math.max(Number(hint) * 1_000 - HINT_MARGIN_MS, 0), MAX_IDLE_MS);
}

function connectTimeout(): Error {
  return Object.assign(new Error('Connecting took too long.'), { code: 'ETIMEDOUT' });
}
