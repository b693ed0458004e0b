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

/** A keep-alive connection with one request in flight at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #opening = Buffer.allocUnsafe(KEPT_END);
  readonly #ending = Buffer.allocUnsafe(KEPT_END);
  #finish: Finish | undefined;
  #whole: Buffer[] | undefined;
  #status = 0;
  #head = '';
  #openingLength = 0;
  #endingLength = 0;
  #bytes = 0;

  constructor(port: number) {
    const reader = new ResponseReader({
      onHead: (status, head) => this.#start(status, head),
      onBody: (piece) => this.#collect(piece),
      onEnd: () => this.#complete(),
    });
    // One buffer per connection instead of an allocation per read.
    const onread = {
      buffer: Buffer.allocUnsafe(65_536),
      callback: (size: number, buffer: Uint8Array) => {
        reader.read((buffer as Buffer).subarray(0, size));
        return true;
      },
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  /** Calls `finish` once: with the answer, or with the error that ended the connection. */
  send(request: Buffer, whole: boolean, finish: Finish): void {
    if (this.#socket.destroyed) {
      finish(new Error('connection closed'));
      return;
    }
    this.#finish = finish;
    this.#whole = whole ? [] : undefined;
    this.#openingLength = 0;
    this.#endingLength = 0;
    this.#bytes = 0;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #start(status: number, head: string): void {
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
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.({ status: this.#status, head: this.#head, text, bytes: this.#bytes });
  }

  #ends(): string {
    const opening = this.#opening.toString('latin1', 0, this.#openingLength);
    return this.#bytes <= KEPT_END ? opening : opening + this.#ending.toString('latin1', 0, this.#endingLength);
  }

  #fail(error: Error): void {
    this.#socket.destroy();
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(error);
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
