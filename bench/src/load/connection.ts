import { connect, type Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';

/** Where a program under test answers, and how its tools are called there. Plain data: it crosses a process border. */
export interface Target {
  readonly port: number;
  readonly path: string;
  /** `sse`: the HTTP+SSE transport of 2024-11-05 at `path`. */
  readonly front: 'http' | 'sse';
  readonly headers: Readonly<Record<string, string>>;
  /** `name` in front of the upstream's own tool name. */
  readonly toolPrefix: string;
}

/** Bytes kept of each end of a body when the whole is not: enough to find the id and an error marker. */
const KEPT_END = 512;

/** One answer. `text` is the whole body if asked for, else its two ends. */
export interface Reply {
  readonly status: number;
  readonly head: string;
  readonly text: string;
  readonly bytes: number;
}

export type Finish = (reply: Reply | Error) => void;

/**
 * A keep-alive connection with one request in flight at a time. A server may close it between two windows (Node does
 * after five seconds): the next request then opens another, as any client would.
 */
export class Connection {
  readonly #port: number;
  readonly #buffer = Buffer.allocUnsafe(65_536);
  readonly #opening = Buffer.allocUnsafe(KEPT_END);
  readonly #ending = Buffer.allocUnsafe(KEPT_END);
  #socket: Socket;
  #closed = false;
  /** The request in flight that may be sent once more: no byte of an answer came, and the connection is a used one. */
  #again: Buffer | undefined;
  #used = false;
  #finish: Finish | undefined;
  #whole: Buffer[] | undefined;
  #status = 0;
  #head = '';
  #openingLength = 0;
  #endingLength = 0;
  #bytes = 0;

  constructor(port: number) {
    this.#port = port;
    this.#socket = this.#connect();
  }

  /** Calls `finish` once: with the answer, or with the error that ended the connection. */
  send(request: Buffer, whole: boolean, finish: Finish): void {
    if (this.#closed) {
      finish(new Error('connection closed'));
      return;
    }
    this.#finish = finish;
    this.#whole = whole ? [] : undefined;
    this.#openingLength = 0;
    this.#endingLength = 0;
    this.#bytes = 0;
    if (this.#socket.destroyed) this.#socket = this.#connect();
    this.#again = this.#used ? request : undefined;
    this.#socket.write(request);
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #connect(): Socket {
    this.#used = false;
    const reader = new ResponseReader({
      onHead: (status, head) => this.#start(status, head),
      onBody: (piece) => this.#collect(piece),
      onEnd: () => this.#complete(),
    });
    // One buffer per connection instead of an allocation per read.
    const onread = {
      buffer: this.#buffer,
      callback: (size: number) => {
        reader.read(this.#buffer.subarray(0, size));
        return true;
      },
    };
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, onread });
    let reason = new Error('connection closed');
    socket.on('error', (error) => {
      reason = error;
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#lose(socket, reason));
    return socket;
  }

  #start(status: number, head: string): void {
    this.#again = undefined;
    this.#status = status;
    this.#head = head;
  }

  #collect(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#whole !== undefined) {
      this.#whole.push(Buffer.from(piece));
      return;
    }
    if (this.#openingLength < KEPT_END) {
      this.#openingLength += piece.copy(this.#opening, this.#openingLength, 0, KEPT_END - this.#openingLength);
    }
    if (piece.length >= KEPT_END) {
      piece.copy(this.#ending, 0, piece.length - KEPT_END);
      this.#endingLength = KEPT_END;
    } else {
      const keep = Math.min(this.#endingLength, KEPT_END - piece.length);
      this.#ending.copyWithin(0, this.#endingLength - keep, this.#endingLength);
      piece.copy(this.#ending, keep);
      this.#endingLength = keep + piece.length;
    }
  }

  #complete(): void {
    const text = this.#whole === undefined ? this.#ends() : Buffer.concat(this.#whole).toString('utf8');
    this.#used = true;
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.({ status: this.#status, head: this.#head, text, bytes: this.#bytes });
  }

  #ends(): string {
    const opening = this.#opening.toString('latin1', 0, this.#openingLength);
    return this.#bytes <= KEPT_END ? opening : opening + this.#ending.toString('latin1', 0, this.#endingLength);
  }

  #lose(socket: Socket, reason: Error): void {
    if (socket !== this.#socket) return;
    const again = this.#closed ? undefined : this.#again;
    this.#again = undefined;
    if (again !== undefined) {
      this.#socket = this.#connect();
      this.#socket.write(again);
      return;
    }
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(reason);
  }
}

/** The answer of one exchange as a promise, within `deadlineMs`. */
export function exchange(connection: Connection, request: Buffer, deadlineMs = 10_000): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      connection.close();
      reject(new Error(`no answer within ${deadlineMs} ms`));
    }, deadlineMs);
    connection.send(request, true, (reply) => {
      clearTimeout(timer);
      if (reply instanceof Error) reject(reply);
      else resolve(reply);
    });
  });
}
