import type { Socket } from 'node:net';
import type { HttpRequest } from './http-exchange.ts';

/** A POST whose head leaves no room for two readings, with its whole body. */
export class FastRequest implements HttpRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly socket: Socket | undefined;

  constructor({ url, headers }: FastHead, body: Buffer, socket?: Socket) {
    this.url = url;
    this.headers = headers;
    this.body = body;
    this.socket = socket;
  }
}

export interface FastHead {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyLength: number;
}

/**
 * Lines end with CRLF, values hold no control characters, nothing is folded (RFC 9112 sections 2.2, 5). Nor do they hold
 * a no-break space: `trim` takes it for white space, HTTP takes it for a part of the value.
 */
const PLAIN_HEAD = /^POST \/[!-~]* HTTP\/1\.1(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\x9f\xa1-\xff]*)+$/;
/** The length of ` HTTP/1.1`. */
const VERSION_LENGTH = 9;

/** Each of these changes how the message is read or who may send it: Node's server looks at such requests. */
const UNUSUAL = new Set(['transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'te', 'trailer', 'origin']);

/** Lower-case names by name as written. Clients write names alike. */
const names = new Map<string, string>();
const MAX_NAMES = 512;

/**
 * Reads a head (without its empty line) that can be read in one way only: a POST with every header once, and a length.
 * @returns `undefined` for everything else, which is not wrong, but not for the fast path.
 */
export function readFastHead(head: string, maxHeaders: number): FastHead | undefined {
  if (!PLAIN_HEAD.test(head)) return undefined;
  const headers: Record<string, string> = {};
  let at = head.indexOf('\r\n');
  const url = head.slice('POST '.length, at - VERSION_LENGTH);
  for (let count = 0; at < head.length; count++) {
    if (count === maxHeaders) return undefined;
    const start = at + 2;
    const end = head.indexOf('\r\n', start);
    at = end < 0 ? head.length : end;
    const colon = head.indexOf(':', start);
    const name = toName(head.slice(start, colon));
    if (Object.hasOwn(headers, name) || UNUSUAL.has(name)) return undefined;
    headers[name] = head.slice(colon + 1, at).trim();
  }
  const { connection, host, 'content-length': length } = headers;
  if (host === undefined || length === undefined || !/^\d{1,9}$/.test(length)) return undefined;
  if (connection !== undefined && connection !== 'keep-alive' && connection.toLowerCase() !== 'keep-alive')
    return undefined;
  return { url, headers, bodyLength: Number(length) };
}

function toName(written: string): string {
  const known = names.get(written);
  if (known !== undefined) return known;
  const name = written.toLowerCase();
  if (names.size < MAX_NAMES) names.set(written, name);
  return name;
}
