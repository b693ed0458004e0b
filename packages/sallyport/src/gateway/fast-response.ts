import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { giveBody } from '../core/body-pool.ts';
import { WriteGroup } from '../core/write-group.ts';
import type { HttpResponse } from './http-exchange.ts';

/** So many answers leave at once: with eight a call with the audit in its strict mode took some 3 % more CPU. */
const answers = new WriteGroup(16);

/** A response on a connection of the fast path: a whole answer leaves in one write, a stream in chunks. */
export class FastResponse implements HttpResponse {
  headersSent = false;
  writableEnded = false;
  readonly #socket: Socket;
  readonly #tail: string;
  readonly #ended: () => void;
  #head = '';
  #hasLength = false;
  #chunked = false;
  #onClose: (() => void) | undefined;

  /** @param tail header lines every response of this connection ends with */
  constructor(socket: Socket, tail: string, ended: () => void) {
    this.#socket = socket;
    this.#tail = tail;
    this.#ended = ended;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    let head = statusLine(status);
    for (const name of Object.keys(headers)) {
      head += `${name}: ${headers[name]}\r\n`;
      if (name === 'content-length') this.#hasLength = true;
    }
    this.#head = head;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    if (this.#chunked) return;
    this.#chunked = true;
    this.#socket.write(`${this.#head}transfer-encoding: chunked\r\n${this.#tail}\r\n`, 'latin1');
  }

  write(text: string, _encoding: 'latin1', taken?: () => void): boolean {
    this.flushHeaders();
    // An empty chunk would end the body.
    return this.#socket.write(text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`, 'latin1', taken);
  }

  /** A string has one character per byte. */
  end(body: string | Buffer = ''): void {
    if (this.writableEnded) return;
    this.writableEnded = true;
    if (!this.headersSent) this.writeHead(200);
    if (this.#chunked) {
      const text = typeof body === 'string' ? body : body.toString('latin1');
      this.#socket.write(text === '' ? '0\r\n\r\n' : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`, 'latin1');
    } else this.#endWhole(body);
    this.#ended();
  }

  /** A body whose length the head says already, without copying it together. Its memory is used again once it is written. */
  endInPieces(pieces: readonly Buffer[]): void {
    if (this.writableEnded) return;
    this.writableEnded = true;
    this.#writePieces(`${this.#head}${this.#tail}\r\n`, pieces);
    this.#ended();
  }

  #endWhole(body: string | Buffer): void {
    const length = this.#hasLength ? '' : `content-length: ${body.length}\r\n`;
    const head = `${this.#head}${length}${this.#tail}\r\n`;
    if (typeof body === 'string') answers.write(this.#socket, head + body);
    else this.#writePieces(head, [body]);
  }

  #writePieces(head: string, pieces: readonly Buffer[]): void {
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    for (const piece of pieces) this.#socket.write(piece, () => giveBody(piece));
    this.#socket.uncork();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  on(_event: 'close', listener: () => void): void {
    const before = this.#onClose;
    this.#onClose =
      before === undefined
        ? listener
        : () => {
            before();
            listener();
          };
  }

  /** The connection is gone. */
  closed(): void {
    this.#onClose?.();
  }
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}
