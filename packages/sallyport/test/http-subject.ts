import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One HTTP request a subject has seen; `message` is the parsed body of a POST. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly message: {
    id?: string | number;
    method?: string;
    params?: Record<string, never>;
    result?: unknown;
    error?: unknown;
  };
}

export interface Turn extends Seen {
  readonly response: ServerResponse;
  /** Answers the request with one JSON body. */
  result(result: unknown, headers?: Record<string, string>): void;
  error(
    code: number,
    message: string,
    options?: { status?: number; id?: string | number | null; data?: unknown },
  ): void;
  /** Any other body. */
  send(status: number, headers: Record<string, string>, body: string | Buffer): void;
  /** Opens an event stream. */
  stream(headers?: Record<string, string>): Stream;
}

export interface Stream {
  /** One event; `data` is sent as JSON. */
  event(data: unknown, fields?: { id?: string; retry?: number; event?: string }): void;
  write(text: string): void;
  end(): void;
  /** Breaks the connection off. */
  cut(): void;
}

/** Streams the reply to tools/call and hands the stream to the test. */
export function streaming(subject: Subject): Promise<{ turn: Turn; stream: Stream }> {
  return new Promise((resolve) => void subject.on('tools/call', (turn) => resolve({ turn, stream: turn.stream() })));
}

export function answerTo(turn: Turn, result: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id: turn.message.id, result };
}

type Responder = (turn: Turn) => void;

export interface Subject {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** What to do with a JSON-RPC method, or with `GET`, `DELETE`, `notification`, `answer`. */
  on(what: string, responder: Responder): Subject;
  /** Resolves with the first request, past or to come, that `wanted` picks. */
  saw(wanted: (seen: Seen) => boolean): Promise<Seen>;
  close(): Promise<void>;
}

export const LEGACY_HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'subject', version: '1' },
};
export const MODERN_HELLO = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'subject', version: '2' } },
};

/** A hand-written HTTP MCP server of one era, every answer of which a test can replace. */
export async function openSubject(era: 'legacy' | 'modern' | 'none' = 'legacy', port = 0): Promise<Subject> {
  const responders = new Map<string, Responder>(toDefaults(era));
  const seen: Seen[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const turn = toTurn(request, response, body);
      seen.push(turn);
      const responder = responders.get(toWhat(turn)) ?? responders.get('*');
      if (responder === undefined) turn.error(-32601, 'Method not found');
      else responder(turn);
      for (const look of waiting) look();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const subject: Subject = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    on(what, responder) {
      responders.set(what, responder);
      return subject;
    },
    saw: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          const found = seen.find(wanted);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return subject;
}

function toDefaults(era: 'legacy' | 'modern' | 'none'): [string, Responder][] {
  const common: [string, Responder][] = [
    ['GET', ({ send }) => send(405, {}, '')],
    ['DELETE', ({ send }) => send(200, {}, '')],
    ['notification', ({ send }) => send(202, {}, '')],
    ['answer', ({ send }) => send(202, {}, '')],
  ];
  if (era === 'none') return [['*', ({ send }) => send(404, { 'content-type': 'text/html' }, '<h1>Not here</h1>')]];
  if (era === 'legacy') return [...common, ['initialize', ({ result }) => result(LEGACY_HELLO)]];
  return [
    ...common,
    ['server/discover', ({ result }) => result(MODERN_HELLO)],
    ['initialize', ({ error }) => error(-32601, 'Method not found', { status: 404 })],
  ];
}

function toWhat(turn: Seen): string {
  if (turn.method !== 'POST') return turn.method;
  if (turn.message.method === undefined) return 'answer';
  return turn.message.id === undefined ? 'notification' : turn.message.method;
}

function toTurn(request: IncomingMessage, response: ServerResponse, body: string): Turn {
  const message = (body === '' ? {} : JSON.parse(body)) as Seen['message'];
  const send = (status: number, headers: Record<string, string>, text: string | Buffer) => {
    response.writeHead(status, { 'content-length': String(Buffer.byteLength(text)), ...headers });
    response.end(text);
  };
  const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
    send(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(value));
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    message,
    response,
    send,
    result: (result, headers) => json(200, { jsonrpc: '2.0', id: message.id, result }, headers),
    error: (code, text, { status = 200, id = message.id ?? null, data } = {}) =>
      json(status, { jsonrpc: '2.0', id, error: { code, message: text, ...(data === undefined ? {} : { data }) } }),
    stream(headers = {}) {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      response.flushHeaders();
      return {
        event: (data, { id, retry, event } = {}) =>
          void response.write(
            `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${data === '' ? '' : JSON.stringify(data)}\n\n`,
          ),
        write: (text) => void response.write(text),
        end: () => void response.end(),
        cut: () => void response.destroy(),
      };
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
