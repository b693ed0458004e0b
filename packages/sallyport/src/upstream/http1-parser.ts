import { FaultError } from '../core/errors.ts';

/** What one HTTP/1.1 response turns out to be, in order: a head, data, an end. */
export interface ResponseEvents {
  /** 1xx heads are not reported. */
  head(head: ResponseHead): void;
  /** The bytes are the reader's for the time of the call only. */
  data(chunk: Buffer): void;
  /** `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
}

const MAX_HEAD = 64 * 1024;
const MAX_LINE = 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LINE_FEED = 0x0a;

/** The status and the headers of a response. */
export class ResponseHead {
  readonly status: number;
  /** The status line and the header lines without the empty line. */
  readonly #text: string;
  readonly #found = new Map<string, string | undefined>();

  /** @throws FaultError `upstream_protocol` for what is no head of HTTP/1.1. */
  constructor(text: string) {
    this.#text = text;
    this.status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r|$)/.exec(text)?.[1] ?? 0);
    if (this.status === 0) throw bad('its answer does not start like HTTP/1.1');
  }

  get isHttp11(): boolean {
    return this.#text.startsWith('HTTP/1.1');
  }

  /** The first value of a header. `name` in lower case. */
  header(name: string): string | undefined {
    const known = this.#found.get(name);
    if (known !== undefined || this.#found.has(name)) return known;
    const value = this.values(name)[0];
    this.#found.set(name, value);
    return value;
  }

  /** The values of a header, in order, without surrounding white space. `name` in lower case. */
  values(name: string): string[] {
    const text = this.#text;
    const values: string[] = [];
    let at = text.indexOf('\r\n');
    while (at >= 0) {
      const start = at + 2;
      at = text.indexOf('\r\n', start);
      // One character is enough to pass over most lines.
      if ((text.charCodeAt(start) | 0x20) !== name.charCodeAt(0) || text.charCodeAt(start + name.length) !== 0x3a)
        continue;
      if (text.slice(start, start + name.length).toLowerCase() !== name) continue;
      values.push(text.slice(start + name.length + 1, at < 0 ? undefined : at).trim());
    }
    return values;
  }
}

/** What a head says about its body (RFC 9112 section 6.3). */
interface Framing {
  readonly state: 'fixed' | 'size' | 'until-close';
  readonly length: number;
  readonly reusable: boolean;
}

type State = 'head' | 'fixed' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'done';

/**
 * Reads one response at a time (RFC 9112) from the bytes of a connection. What it is given is only looked at; what it
 * keeps it copies.
 * Strict where two readers could differ: lengths that contradict each other, lines without CR LF, unknown codings.
 */
export class Http1Parser {
  readonly #events: ResponseEvents;
  #state: State = 'done';
  #kept: Buffer | undefined;
  #left = 0;
  #reusable = true;
  /** The head read last and what it means: a server repeats itself. */
  #text = '';
  #last: { readonly head: ResponseHead; readonly framing: Framing } | undefined;

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
      this.#kept = Buffer.from(bytes);
      return undefined;
    }
    if (at > MAX_HEAD) throw bad('its headers are larger than 64 KiB');
    const head = bytes.toString('latin1', 0, at);
    const rest = bytes.subarray(at + 4);
    if (head !== this.#text || this.#last === undefined) {
      const read = new ResponseHead(head);
      this.#last = { head: read, framing: toFraming(read) };
      this.#text = head;
    }
    const { head: response, framing } = this.#last;
    if (response.status < 200) return rest;
    this.#state = framing.state;
    this.#left = framing.length;
    this.#reusable = framing.reusable;
    this.#events.head(response);
    if (this.#state === 'fixed' && this.#left === 0) this.#end();
    return rest;
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
      this.#kept = Buffer.from(bytes);
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

function toFraming(head: ResponseHead): Framing {
  const codings = head.values('transfer-encoding');
  const lengths = head.values('content-length');
  const connection = head.values('connection').join(',').toLowerCase();
  const reusable = !connection.includes('close') && (head.isHttp11 || connection.includes('keep-alive'));
  if (head.status < 200 || head.status === 204 || head.status === 304) return { state: 'fixed', length: 0, reusable };
  if (codings.length > 0) {
    if (lengths.length > 0) throw bad('it states a length and chunks at once');
    if (codings.join(',').trim().toLowerCase() !== 'chunked') throw bad('its transfer coding is unknown');
    return { state: 'size', length: 0, reusable };
  }
  const [length] = lengths;
  if (length === undefined) return { state: 'until-close', length: 0, reusable };
  if (!/^\d{1,15}$/.test(length) || lengths.some((other) => other !== length))
    throw bad('its length is not one number');
  return { state: 'fixed', length: Number(length), reusable };
}

function bad(what: string): FaultError {
  return new FaultError(
    'upstream_protocol',
    `The server does not speak HTTP/1.1 as it should: ${what}. Correct its url or the server.`,
  );
}
