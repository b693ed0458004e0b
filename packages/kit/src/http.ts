import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpServer,
  parseJSONRPCMessage,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { Authenticate } from './callers.ts';
import { createModernHandler } from './modern-handler.ts';
import type { KitServer } from './server.ts';
import { SseTransport } from './sse-transport.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  /** Host names a browser or client may address, beside those of loopback. */
  readonly allowedHosts: readonly string[];
  /** `undefined`: anybody who reaches it may call. */
  readonly authenticate: Authenticate | undefined;
  /** Also serves HTTP+SSE of 2024-11-05 at /sse and /message. */
  readonly hasSse: boolean;
}

export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY = 4 * 1024 * 1024;
/** Sessions of clients that never said goodbye: the one that is idle longest goes first. */
const MAX_SESSIONS = 1_000;
const AUTHENTICATE_MS = 10_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Where the SDK looks for who calls. */
type CallerRequest = IncomingMessage & { auth?: AuthInfo };

interface Session {
  readonly caller: string | undefined;
  readonly server: McpServer;
  readonly handle: (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;
}

/** Serves Streamable HTTP at /mcp in both eras: stateless for modern clients, with sessions for legacy ones. */
export async function serveHttp(kit: KitServer, options: HttpOptions): Promise<HttpServing> {
  const { host, port, allowedHosts, authenticate, hasSse } = options;
  const shown = host.includes(':') ? `[${host}]` : host;
  const names = [...LOOPBACK, shown, ...allowedHosts];
  const modern = createModernHandler(kit, MAX_BODY);
  const handleModern = toNodeHandler(modern);
  const sessions = createSessions(kit);
  const streams = new Map<string, SseTransport>();

  const handle = async (request: CallerRequest, response: ServerResponse): Promise<void> => {
    const strange = findStrangeName(request, names);
    if (strange !== undefined)
      return answer(response, 403, `${strange} Start the server with --allowed-host and this name if it is yours.`);
    if (authenticate !== undefined) {
      const caller = await toCaller(authenticate, request);
      if (caller === undefined) {
        response.setHeader('www-authenticate', 'Bearer');
        return answer(response, 401, 'The key is missing or wrong. Send it as "Authorization: Bearer KEY".');
      }
      request.auth = { token: '', clientId: caller, scopes: [] };
    }
    const { pathname, searchParams } = toUrl(request.url);
    if (pathname === '/mcp') return handleMcp(request, response);
    if (hasSse && pathname === '/sse' && request.method === 'GET') return openStream(request, response);
    if (hasSse && pathname === '/message' && request.method === 'POST')
      return takeMessage(useStream(searchParams.get('sessionId') ?? '', request), request, response);
    answer(response, 404, `There is nothing at ${pathname}. The server is at /mcp${hasSse ? ' and /sse' : ''}.`);
  };

  async function handleMcp(request: CallerRequest, response: ServerResponse): Promise<void> {
    if (!['GET', 'POST', 'DELETE'].includes(request.method ?? '')) {
      response.setHeader('allow', 'GET, POST, DELETE');
      return answer(response, 405, `There is no ${request.method} at /mcp.`);
    }
    const body = request.method === 'POST' ? await readBody(request, response) : undefined;
    if (request.method === 'POST') {
      if (body === undefined) return;
      const headers = new Headers(request.headers as Record<string, string>);
      const asked = new Request('http://localhost/mcp', { method: 'POST', headers });
      // Its types know no `undefined`; Node always sets the method of a request to a server.
      if (!(await isLegacyRequest(asked, body)))
        return handleModern(request as IncomingMessage & { method: string; url: string }, response, body);
    }
    await sessions.handle(request, response, body);
  }

  /** The streams are in the order of their last use. */
  function useStream(id: string, { auth }: CallerRequest): SseTransport | undefined {
    const stream = streams.get(id);
    if (stream === undefined || stream.caller !== auth?.clientId) return undefined;
    streams.delete(id);
    streams.set(id, stream);
    return stream;
  }

  async function openStream({ auth }: CallerRequest, response: ServerResponse): Promise<void> {
    const transport = new SseTransport(response, { caller: auth?.clientId, postPath: '/message' });
    const server = kit.create();
    streams.set(transport.sessionId, transport);
    const [idle] = streams.values();
    if (streams.size > MAX_SESSIONS && idle !== undefined) {
      streams.delete(idle.sessionId);
      await idle.close();
    }
    response.on('close', () => streams.delete(transport.sessionId));
    await server.connect(transport);
  }

  const listener = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      if (!response.headersSent) answer(response, 500, 'The server failed.');
      else response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port)));
    listener.listen(port, host, resolve);
  });
  const { port: taken } = listener.address() as AddressInfo;
  return {
    url: `http://${shown}:${taken}/${hasSse ? 'sse' : 'mcp'}`,
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve));
      await Promise.all([...streams.values()].map((stream) => stream.close()));
      await Promise.all([sessions.close(), modern.close()]);
      listener.closeAllConnections();
      await closed;
    },
  };
}

function createSessions(kit: KitServer) {
  const sessions = new Map<string, Session>();
  const end = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close();
  };

  async function open(request: CallerRequest, response: ServerResponse, body: unknown): Promise<void> {
    const server = kit.create();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized(id) {
        sessions.set(id, {
          caller: request.auth?.clientId,
          server,
          handle: (...parts) => transport.handleRequest(...parts),
        });
        const oldest = sessions.keys().next().value;
        if (sessions.size > MAX_SESSIONS && oldest !== undefined) void end(oldest);
      },
      onsessionclosed: (id) => end(id),
    });
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
    // It was refused: no session came of it.
    if (transport.sessionId === undefined) await server.close();
  }

  return {
    async handle(request: CallerRequest, response: ServerResponse, body: unknown): Promise<void> {
      const id = request.headers['mcp-session-id'];
      if (id === undefined) return open(request, response, body);
      const session = typeof id === 'string' ? sessions.get(id) : undefined;
      if (session === undefined || session.caller !== request.auth?.clientId)
        return answer(response, 404, 'This session has ended. Start a new one with initialize.');
      sessions.delete(id as string);
      sessions.set(id as string, session);
      await session.handle(request, response, body);
    },
    close: async () => void (await Promise.all([...sessions.keys()].map(end))),
  };
}

async function takeMessage(
  transport: SseTransport | undefined,
  request: CallerRequest,
  response: ServerResponse,
): Promise<void> {
  if (transport === undefined) return answer(response, 404, 'This stream has ended. Open a new one at /sse.');
  const body = await readBody(request, response);
  if (body === undefined) return;
  let message: JSONRPCMessage;
  try {
    message = parseJSONRPCMessage(body);
  } catch {
    return answer(response, 400, 'The body is no message of JSON-RPC 2.0.', -32600);
  }
  response.writeHead(202).end('Accepted');
  transport.onmessage?.(message, request.auth === undefined ? {} : { authInfo: request.auth });
}

/** A browser that was led here by a name of somebody else's, or by a page of theirs. */
function findStrangeName({ headers: { host, origin } }: IncomingMessage, names: string[]): string | undefined {
  if (!validateHostHeader(host, names).ok) return 'The Host header does not name this server.';
  if (!validateOriginHeader(origin, names).ok) return 'The Origin header names a page that may not call this server.';
  return undefined;
}

/** A hook that throws, or answers late, lets nobody in. */
async function toCaller(authenticate: Authenticate, request: IncomingMessage): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const found = authenticate(request);
    if (!(found instanceof Promise)) return found || undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), AUTHENTICATE_MS);
    });
    return (await Promise.race([found, late])) || undefined;
  } catch (error) {
    process.stderr.write(`authenticate failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** An address such as `//` is none: there is nothing there. */
function toUrl(address = '/'): URL {
  return new URL(URL.canParse(address, 'http://localhost') ? address : '/none', 'http://localhost');
}

/** `undefined`: it was too large or no JSON, and has been answered. */
async function readBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) {
      response.setHeader('connection', 'close');
      answer(response, 413, `A message may have ${MAX_BODY} bytes at most.`);
      return undefined;
    }
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    answer(response, 400, 'The body is not JSON.', -32700);
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, message: string, code = -32000): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} of ${host} is in use. Choose another with --port, or 0 for any free one.`);
  if (error.code === 'EACCES')
    return new Error(`Port ${port} may not be used by this user. Choose one above 1023 with --port.`);
  return error;
}
