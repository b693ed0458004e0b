/**
 * A process: the baseline `raw`. node:http in front, the request buffered, undici `Pool.dispatch` behind; nothing is
 * parsed, bytes are forwarded. Usage: `raw-proxy.js <upstream url>`; prints `{"port":…}` once it listens.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

/** Request headers that mean something to the upstream; everything else belongs to the connection in front. */
const FORWARDED = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
];
const RETURNED = new Set(['content-type', 'content-length', 'mcp-session-id']);

const upstream = new URL(process.argv[2] ?? '');
const calls = new Pool(upstream.origin, { connections: 64, pipelining: 1, keepAliveTimeout: 600_000 });
// A GET stream holds its connection for as long as the session lives: in the pool of the calls it would starve them.
const streams = new Pool(upstream.origin, { pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });

/** One exchange: an answer that came in one chunk leaves in one write, a longer one is streamed with backpressure. */
class Forward {
  readonly #response: ServerResponse;
  #status = 502;
  #headers: string[] = [];
  #streaming = false;
  #first: Buffer | undefined;
  #resume: () => void = () => {};

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  // The handler shape undici 7 runs natively; the newer one is wrapped around it and makes a header object per answer.
  onConnect(abort: (reason?: Error) => void): void {
    this.#response.on('close', () => {
      if (!this.#response.writableFinished) abort();
    });
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.#status = status;
    this.#resume = resume;
    for (let i = 0; i < raw.length; i += 2) {
      const name = String(raw[i]).toLowerCase();
      if (!RETURNED.has(name)) continue;
      const value = String(raw[i + 1]);
      this.#headers.push(name, value);
      if (name === 'content-type' && value.startsWith('text/event-stream')) this.#startStreaming();
    }
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (!this.#streaming) {
      if (this.#first === undefined) {
        this.#first = chunk;
        return true;
      }
      this.#startStreaming();
    }
    if (this.#response.write(chunk)) return true;
    this.#response.once('drain', this.#resume);
    return false;
  }

  onComplete(): void {
    if (!this.#streaming) this.#response.writeHead(this.#status, this.#headers);
    this.#response.end(this.#streaming ? undefined : this.#first);
  }

  onError(error: Error): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end(error.message);
  }

  #startStreaming(): void {
    this.#streaming = true;
    this.#response.writeHead(this.#status, this.#headers);
    if (this.#first === undefined) this.#response.flushHeaders();
    else this.#response.write(this.#first);
    this.#first = undefined;
  }
}

const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, (request, response) => {
  response.sendDate = false;
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  request.on('data', (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else if (rest === undefined) rest = [first, chunk];
    else rest.push(chunk);
  });
  request.on('end', () => {
    const headers: string[] = [];
    for (const name of FORWARDED) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.push(name, value);
    }
    const body = rest === undefined ? first : Buffer.concat(rest);
    const options = { path: upstream.pathname, method: request.method ?? 'POST', headers, body: body ?? null };
    const pool = request.method === 'GET' ? streams : calls;
    pool.dispatch(options as Dispatcher.DispatchOptions, new Forward(response) as Dispatcher.DispatchHandler);
  });
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
// process.exit, so that --cpu-prof writes its file.
process.on('SIGTERM', () => process.exit(0));
process.stdin.resume().on('end', () => process.exit(0));
