import type { LookupFunction } from 'node:net';
import { Pool } from 'undici';
import { FaultError } from '../core/errors.ts';
import { isHeader } from '../core/header.ts';
import { HttpReply, type ReplyReader, type RunningExchange } from './http-reply.ts';
import { Http1Pool } from './http1-pool.ts';
import { createOperatorLookup } from './operator-lookup.ts';

/** One HTTP upstream: its address, its configured headers and the connections kept open to it, shared by all wires. */
export interface HttpOrigin {
  readonly url: URL;
  /** The URL without credentials and query, for messages. */
  readonly place: string;
  /** Sends one request; the headers are added to the configured ones. */
  post(headers: HeaderBlock, body: string, reader: ReplyReader, options?: PostOptions): RunningExchange;
  /** GET of an event stream, DELETE of a session. */
  ask(method: 'GET' | 'DELETE', headers: readonly string[], reader: ReplyReader): RunningExchange;
  close(): Promise<void>;
}

/** Headers that many requests repeat, as name, value, name, value…; checked and written once. */
export class HeaderBlock {
  readonly list: readonly string[];
  #lines: string | undefined;

  constructor(list: readonly string[]) {
    this.list = list;
  }

  /** @throws FaultError `config` for a header that is none. */
  get lines(): string {
    this.#lines ??= toLines(this.list);
    return this.#lines;
  }
}

export interface PostOptions {
  /** Headers of this request alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The answer stays open: it gets a connection beside those of calls. */
  readonly stream?: boolean;
  /** How long the reply may take; `undefined`: whoever sent it watches the clock. */
  readonly replyMs?: number | undefined;
  /** Path and query when not those of the URL. */
  readonly path?: string;
}

export interface HttpOriginOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly connectMs: number;
  /** Default: the machine's own, but to metadata services. */
  readonly lookup?: LookupFunction | undefined;
}

/** @throws FaultError `config` for a URL that is no http(s) URL. */
export function createHttpOrigin(options: HttpOriginOptions): HttpOrigin {
  const url = toUrl(options.url);
  const place = `${url.origin}${url.pathname}`;
  const configured = toHeaders(url, options);
  const lookup = options.lookup ?? createOperatorLookup();
  // Deadlines are the connection's: a call may be silent for as long as its settings allow.
  const settings = {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.connectMs, lookup },
  };
  // No cap on connections: calls are capped before they get here, and an answer to a question must never wait behind
  // the very call that asks it.
  const calls = new Http1Pool({ origin: url, connectMs: options.connectMs, lookup });
  const start = toHead(url, configured);
  const streams = new Pool(url.origin, settings);
  const ownPath = `${url.pathname}${url.search}`;
  return {
    url,
    place,
    post(headers, body, reader, { stream = false, path = ownPath, replyMs, headers: own } = {}) {
      const reply = new HttpReply(reader);
      if (!stream && replyMs === undefined) {
        const lines = own === undefined ? headers.lines : headers.lines + toOwnLines(own);
        calls.send(`POST ${path}${start}${lines}content-length: ${body.length}\r\n\r\n${body}`, reply);
        return reply;
      }
      const limit = replyMs === undefined ? {} : { headersTimeout: replyMs, bodyTimeout: replyMs };
      const bytes = Buffer.from(body, 'latin1');
      streams.dispatch(
        {
          path,
          method: 'POST',
          headers: [...configured, ...headers.list, ...Object.entries(own ?? {}).flat()],
          body: bytes,
          ...limit,
        },
        reply,
      );
      return reply;
    },
    ask(method, headers, reader) {
      const reply = new HttpReply(reader);
      streams.dispatch({ path: ownPath, method, headers: [...configured, ...headers] }, reply);
      return reply;
    },
    async close() {
      calls.close();
      await streams.destroy();
    },
  };
}

/** What follows the path in the head of every request. @throws FaultError `config` for a header that is none. */
function toHead(url: URL, configured: readonly string[]): string {
  const host = configured.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    ? ''
    : `host: ${url.host}\r\n`;
  return ` HTTP/1.1\r\n${host}connection: keep-alive\r\n${toLines(configured)}`;
}

function toLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i + 1 < headers.length; i += 2) lines += toLine(headers[i] ?? '', headers[i + 1] ?? '');
  return lines;
}

/** Of headers that many requests share. */
const ownLines = new WeakMap<Readonly<Record<string, string>>, string>();

function toOwnLines(headers: Readonly<Record<string, string>>): string {
  let lines = ownLines.get(headers);
  if (lines === undefined) {
    lines = toLines(Object.entries(headers).flat());
    ownLines.set(headers, lines);
  }
  return lines;
}

function toLine(name: string, value: string): string {
  if (!isHeader(name, value))
    throw new FaultError('config', `The header "${name.slice(0, 64)}" holds characters HTTP does not allow.`);
  return `${name}: ${value}\r\n`;
}

function toHeaders(url: URL, options: HttpOriginOptions): string[] {
  const headers = Object.entries(options.headers);
  const has = (name: string) => headers.some(([key]) => key.toLowerCase() === name);
  if (!has('user-agent')) headers.unshift(['user-agent', options.userAgent]);
  if (url.username !== '' && !has('authorization')) {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.push(['authorization', `Basic ${Buffer.from(pair).toString('base64')}`]);
  }
  return headers.flat();
}

function toUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new FaultError('config', 'The url of this server is not a URL.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FaultError('config', `The url of this server starts with ${url.protocol}, not http: or https:.`);
  return url;
}
