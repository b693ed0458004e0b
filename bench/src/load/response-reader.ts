/** What a reader reports. Pieces are views of the socket's buffer: valid only inside the callback. */
export interface ResponseEvents {
  onHead(status: number, head: string): void;
  onBody(piece: Buffer): void;
  onEnd(): void;
}

type State = 'head' | 'length' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer';

/**
 * Reads HTTP/1.1 responses off a byte stream without copying bodies. Written by hand because the load generator shares
 * two cores with what it measures: undici costs about as much per call as the proxy under test.
 */
export class ResponseReader {
  readonly #events: ResponseEvents;
  #state: State = 'head';
  /** Bytes left in the body or chunk being read. */
  #left = 0;
  /** An incomplete head or chunk line, carried over to the next read. */
  #carry = '';

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  read(data: Buffer): void {
    let at = 0;
    while (at < data.length) {
      if (this.#state === 'head') at = this.#readHead(data, at);
      else if (this.#state === 'length' || this.#state === 'chunk-data') at = this.#readBody(data, at);
      else at = this.#readChunkLine(data, at);
    }
  }

  #readHead(data: Buffer, at: number): number {
    const end = this.#carry === '' ? data.indexOf('\r\n\r\n', at, 'latin1') : -1;
    let head: string;
    let next: number;
    if (end >= 0) {
      head = data.toString('latin1', at, end);
      next = end + 4;
    } else {
      const seen = this.#carry.length;
      const text = this.#carry + data.toString('latin1', at, data.length);
      const split = text.indexOf('\r\n\r\n');
      if (split < 0) {
        this.#carry = text;
        return data.length;
      }
      this.#carry = '';
      head = text.slice(0, split);
      next = at + split + 4 - seen;
    }
    this.#startBody(head);
    return next;
  }

  #startBody(head: string): void {
    const status = Number(head.slice(9, 12));
    this.#events.onHead(status, head);
    if (headerOf(head, 'transfer-encoding') === 'chunked') {
      this.#state = 'chunk-size';
      return;
    }
    this.#left = Number(headerOf(head, 'content-length') ?? 0);
    if (this.#left > 0) this.#state = 'length';
    else this.#events.onEnd();
  }

  #readBody(data: Buffer, at: number): number {
    const end = Math.min(data.length, at + this.#left);
    this.#left -= end - at;
    this.#events.onBody(data.subarray(at, end));
    if (this.#left === 0) {
      if (this.#state === 'chunk-data') {
        this.#state = 'chunk-end';
      } else {
        this.#state = 'head';
        this.#events.onEnd();
      }
    }
    return end;
  }

  #readChunkLine(data: Buffer, at: number): number {
    const newline = data.indexOf(10, at);
    if (newline < 0) {
      this.#carry += data.toString('latin1', at, data.length);
      return data.length;
    }
    const line = (this.#carry + data.toString('latin1', at, newline)).trimEnd();
    this.#carry = '';
    if (this.#state === 'chunk-end') {
      this.#state = 'chunk-size';
    } else if (this.#state === 'chunk-size') {
      this.#left = Number.parseInt(line, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk-data';
    } else if (line === '') {
      this.#state = 'head';
      this.#events.onEnd();
    }
    return newline + 1;
  }
}

/** The value of one header; `undefined` when it is not there. */
export function headerOf(head: string, name: string): string | undefined {
  // Names have no case, values (a session id) do.
  const at = head.toLowerCase().indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  const start = at + name.length + 3;
  const end = head.indexOf('\r\n', start);
  return head.slice(start, end < 0 ? undefined : end).trim();
}
