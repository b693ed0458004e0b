import { FaultError } from '../core/errors.ts';

/** What one HTTP/1.1 response turns out to be, in order: a head, data, an end. */
export interface ResponseEvents {
  /** `head` is the status line and the header lines without the empty line; 1xx heads are not reported. */
  head(status: number, head: string): void;
  data(chunk: Buffer): void;
  /** `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
}

const MAX_HEAD = 64 * 1024;
const MAX_LINE = 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LINE_FEED = 0x0a;

type State = 'head' | 'fixed' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'done';

/**
 * Reads one response at a time (RFC 9112) from the bytes of a connection, without copying what came in one piece.
 * Strict where two readers could differ: lengths that contradict each other, lines without CR LF, unknown codings.
 */
export class Http1Parser {
  readonly #events: ResponseEvents;
  #state: State = 'done';
  #kept: Buffer | undefined;
  #left = 0;
  #reusable = true;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** A request went out: the next bytes are its response. */
  expect(): void {
    this.#state = 'head';
    this.#reusable = true;
  }

  /** @throws FaultError `upstream_protocol`: what came is not HTTP; the connection is of no more use. */
  push(chunk: Buffer): void {
    let rest: Buffer | undefined = this.#kept === undefined ? chunk : Buffer.concat([this.#kept, chunk]);
    this.#kept = undefined;
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest);
  }

  /** The connection ended. True when that ends the response properly. */
  finish(): boolean {
    if (this.#state !== 'until-close') return false;
    this.#state = 'done';
    this.#events.end(false);
    return true;
  }

  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes);
      case 'fixed':
      case 'chunk':
        return this.#counted(bytes);
      case 'size':
        return this.#line(bytes, (line) => this.#size(line));
      case 'chunk-end':
        return this.#line(bytes, (line) => {
          if (line !== '') throw bad('a chunk is longer than its size says');
          this.#state = 'size';
        });
      case 'trailers':
        return this.#line(bytes, (line) => {
          if (line === '') this.#end();
        });
      case 'until-close':
        this.#events.data(bytes);
        return undefined;
      case 'done':
        throw bad('it sent more than the answer it was asked for');
    }
  }

  #head(bytes: Buffer): Buffer | undefined {
    const at = bytes.indexOf(END_OF_HEAD);
    if (at < 0) {
      if (bytes.length > MAX_HEAD) throw bad('its headers are larger than 64 KiB');
      // HTTP/2, TLS and mail servers answer too: said now, not when the deadline has passed.
      if (!'HTTP/1.'.startsWith(bytes.toString('latin1', 0, Math.min(7, bytes.length))))
        throw bad('its answer does not start like HTTP/1.1');
      this.#kept = bytes;
      return undefined;
    }
    if (at > MAX_HEAD) throw bad('its headers are larger than 64 KiB');
    const head = bytes.toString('latin1', 0, at);
    const rest = bytes.subarray(at + 4);
    const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r|$)/.exec(head)?.[1] ?? 0);
    if (status === 0) throw bad('its answer does not start like HTTP/1.1');
    if (status < 200) return rest;
    this.#frame(status, head);
    this.#events.head(status, head);
    if (this.#state === 'fixed' && this.#left === 0) this.#end();
    return rest;
  }

  /** How long the body is (RFC 9112 section 6.3). */
  #frame(status: number, head: string): void {
    const codings = headerValues(head, 'transfer-encoding');
    const lengths = headerValues(head, 'content-length');
    const connection = headerValues(head, 'connection').join(',').toLowerCase();
    this.#reusable =
      !connection.includes('close') && (head.startsWith('HTTP/1.1') || connection.includes('keep-alive'));
    this.#left = 0;
    if (status === 204 || status === 304) this.#state = 'fixed';
    else if (codings.length > 0) {
      if (lengths.length > 0) throw bad('it states a length and chunks at once');
      if (codings.join(',').trim().toLowerCase() !== 'chunked') throw bad('its transfer coding is unknown');
      this.#state = 'size';
    } else if (lengths.length > 0) {
      const [length = ''] = lengths;
      if (!/^\d{1,15}$/.test(length) || lengths.some((other) => other !== length))
        throw bad('its length is not one number');
      this.#left = Number(length);
      this.#state = 'fixed';
    } else this.#state = 'until-close';
  }

  #counted(bytes: Buffer): Buffer | undefined {
    const take = Math.min(this.#left, bytes.length);
    this.#left -= take;
    this.#events.data(take === bytes.length ? bytes : bytes.subarray(0, take));
    if (this.#left === 0) {
      if (this.#state === 'fixed') this.#end();
      else this.#state = 'chunk-end';
    }
    return bytes.subarray(take);
  }

  #line(bytes: Buffer, take: (line: string) => void): Buffer | undefined {
    const at = bytes.indexOf(LINE_FEED);
    if (at < 0) {
      if (bytes.length > MAX_LINE) throw bad('a line of its chunks is too long');
      this.#kept = bytes;
      return undefined;
    }
    if (at === 0 || bytes[at - 1] !== 0x0d || at > MAX_LINE) throw bad('a line of its chunks does not end properly');
    take(bytes.toString('latin1', 0, at - 1));
    return bytes.subarray(at + 1);
  }

  #size(line: string): void {
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) throw bad('the size of a chunk is no number');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
  }

  #end(): void {
    this.#state = 'done';
    this.#events.end(this.#reusable);
  }
}

/** The values of a header in a head, in order, without surrounding white space. `name` in lower case. */
export function headerValues(head: string, name: string): string[] {
  const values: string[] = [];
  let at = head.indexOf('\r\n');
  while (at >= 0) {
    const start = at + 2;
    at = head.indexOf('\r\n', start);
    // One character is enough to pass over most lines.
    if ((head.charCodeAt(start) | 0x20) !== name.charCodeAt(0) || head.charCodeAt(start + name.length) !== 0x3a)
      continue;
    if (head.slice(start, start + name.length).toLowerCase() !== name) continue;
    values.push(head.slice(start + name.length + 1, at < 0 ? undefined : at).trim());
  }
  return values;
}

function bad(what: string): FaultError {
  return new FaultError(
    'upstream_protocol',
    `The server does not speak HTTP/1.1 as it should: ${what}. Correct its url or the server.`,
  );
}
