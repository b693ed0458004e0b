import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atTheEnd } from './at-the-end.ts';

export interface Incoming {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly protocolVersion?: string;
    readonly _meta?: Record<string, unknown>;
  };
}

export interface HttpUpstreamOptions {
  /** Answers a message in its own way: true, and nothing more happens. */
  readonly behave?: (message: Incoming, response: ServerResponse, request: IncomingMessage) => boolean;
  readonly tools?: readonly string[];
  /** Names a session at initialize, and refuses requests of other sessions. */
  readonly session?: () => string;
  /** Speaks 2026-07-28 instead, and insists on the headers that mirror the body. */
  readonly modern?: boolean;
}

export interface HttpUpstream {
  readonly url: string;
  /** Calls that arrived, by tool. */
  readonly calls: Map<string, number>;
  /** All methods in the order they came. */
  readonly heard: string[];
  readonly sockets: () => number;
  close(): Promise<void>;
}

/** A legacy MCP server over Streamable HTTP in this process, as good or as bad as a test wants it. */
export async function startHttpUpstream(options: HttpUpstreamOptions = {}): Promise<HttpUpstream> {
  const { behave, tools = ['echo'], session, modern = false } = options;
  const calls = new Map<string, number>();
  const heard: string[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.method !== 'POST') {
        response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
        return;
      }
      const message = JSON.parse(body) as Incoming;
      heard.push(message.method ?? 'an answer');
      const name = message.method === 'tools/call' ? (message.params?.name ?? '') : undefined;
      if (name !== undefined) calls.set(name, (calls.get(name) ?? 0) + 1);
      if (behave?.(message, response, request) === true) return;
      const named = request.headers['mcp-session-id'];
      if (session !== undefined && message.method !== 'initialize' && named !== session()) {
        response.writeHead(404).end();
        return;
      }
      if (modern && !mirrors(request, message)) {
        const error = { code: -32020, message: `Header mismatch: ${request.headers['mcp-name']}` };
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
        return;
      }
      const result = modern ? modernResultOf(message, tools) : resultOf(message, tools);
      if (message.id === undefined) response.writeHead(202).end();
      else {
        const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(session !== undefined && message.method === 'initialize' ? { 'mcp-session-id': session() } : {}),
        });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
      }
    });
  });
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atTheEnd(close);
  return { url: `http://127.0.0.1:${port}/mcp`, calls, heard, sockets: () => open, close };
}

/** Whether `Mcp-Method` and `Mcp-Name` say what the body says. */
function mirrors({ headers }: IncomingMessage, { method, params }: Incoming): boolean {
  if (headers['mcp-method'] !== method) return false;
  if (method !== 'tools/call') return true;
  const stated = String(headers['mcp-name']);
  const encoded = /^=\?base64\?(.*)\?=$/.exec(stated)?.[1];
  return (encoded === undefined ? stated : Buffer.from(encoded, 'base64').toString('utf8')) === params?.name;
}

function modernResultOf(message: Incoming, tools: readonly string[]): Record<string, unknown> | undefined {
  const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
  const result = message.method === 'server/discover' ? about : resultOf(message, tools);
  return message.method === 'initialize' ? undefined : result && { resultType: 'complete', ...result };
}

function resultOf({ method, params }: Incoming, tools: readonly string[]): Record<string, unknown> | undefined {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1' } };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) };
    case 'tools/call':
      return { content: [{ type: 'text', text: `${params?.name} done` }] };
    default:
      return undefined;
  }
}
