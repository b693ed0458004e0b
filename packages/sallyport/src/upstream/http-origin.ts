import { Pool } from 'undici';
import { FaultError } from '../core/errors.ts';
import { HttpReply, type ReplyReader } from './http-reply.ts';

/** One HTTP upstream: its address, its configured headers and the connections kept open to it, shared by all wires. */
export interface HttpOrigin {
  readonly url: URL;
  /** The URL without credentials and query, for messages. */
  readonly place: string;
  /** Sends one request. `headers` are name, value, name, value…, added to the configured ones. */
  post(headers: readonly string[], body: Buffer, reader: ReplyReader, options?: PostOptions): HttpReply;
  /** GET of an event stream, DELETE of a session. */
  ask(method: 'GET' | 'DELETE', headers: readonly string[], reader: ReplyReader): HttpReply;
  close(): Promise<void>;
}

export interface PostOptions {
  /** The answer stays open: it gets a connection beside those of calls. */
  readonly stream?: boolean;
  /** Path and query when not those of the URL. */
  readonly path?: string;
}

export interface HttpOriginOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly connectMs: number;
}

/** @throws FaultError `config` for a URL that is no http(s) URL. */
export function createHttpOrigin(options: HttpOriginOptions): HttpOrigin {
  const url = toUrl(options.url);
  const place = `${url.origin}${url.pathname}`;
  const configured = toHeaders(url, options);
  // Deadlines are the connection's: a call may be silent for as long as its settings allow.
  const settings = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: options.connectMs } };
  // No cap on connections: calls are capped before they get here, and an answer to a question must never wait behind
  // the very call that asks it.
  const calls = new Pool(url.origin, settings);
  const streams = new Pool(url.origin, settings);
  const ownPath = `${url.pathname}${url.search}`;
  return {
    url,
    place,
    post(headers, body, reader, { stream = false, path = ownPath } = {}) {
      const reply = new HttpReply(reader);
      (stream ? streams : calls).dispatch({ path, method: 'POST', headers: [...configured, ...headers], body }, reply);
      return reply;
    },
    ask(method, headers, reader) {
      const reply = new HttpReply(reader);
      streams.dispatch({ path: ownPath, method, headers: [...configured, ...headers] }, reply);
      return reply;
    },
    async close() {
      await Promise.all([calls.destroy(), streams.destroy()]);
    },
  };
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
