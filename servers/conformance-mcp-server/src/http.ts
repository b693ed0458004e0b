import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Exchange, sendJson } from './exchange.ts';
import type { Flags } from './flags.ts';
import { createLegacyEndpoint } from './http-legacy.ts';
import { serveModernHttp } from './http-modern.ts';
import { createSseEndpoint } from './http-sse.ts';
import { isLegacyRevision } from './legacy.ts';
import { codes, RpcError, toErrorMessage, toFields } from './messages.ts';
import { isModern } from './modern.ts';
import type { World } from './world.ts';

const mostBodyBytes = 4 * 1024 * 1024;

export interface HttpServer {
  readonly url: string;
  close(): void;
}

type Handle = (exchange: Exchange) => void;

/** Listens on 127.0.0.1 and serves /mcp, or for the transport `sse` the pair /sse and /message. */
export async function startHttp(world: World, flags: Flags): Promise<HttpServer> {
  const routes = new Map<string, Handle>();
  if (flags.transport === 'sse') {
    const sse = createSseEndpoint(world);
    routes.set('/sse', sse.open);
    routes.set('/message', sse.post);
  } else routes.set('/mcp', createMcpHandle(world, flags));
  const server = createServer((request, response) => void handle(request, response, routes));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(flags.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // listening on TCP, so never a pipe name
  return {
    url: `http://127.0.0.1:${port}${flags.transport === 'sse' ? '/sse' : '/mcp'}`,
    close() {
      server.close();
      // Give graceful last messages one turn of the loop, then cut what is left open.
      setImmediate(() => server.closeAllConnections());
    },
  };
}

function createMcpHandle(world: World, flags: Flags): Handle {
  const legacy = createLegacyEndpoint(world, flags.stateless);
  return (exchange) => {
    if (flags.era !== 'legacy' && (flags.era === 'modern' || meansModern(exchange))) {
      if (exchange.request.method === 'POST') return void serveModernHttp(world, exchange);
      return sendJson(exchange.response, 405, toErrorMessage(new RpcError(codes.invalidRequest, 'POST only')), {
        allow: 'POST',
      });
    }
    legacy(exchange);
  };
}

/** A dual-era endpoint goes by the body; the header decides only when the body is silent and names no legacy revision. */
function meansModern({ request, body }: Exchange): boolean {
  if (request.method !== 'POST' || Array.isArray(body)) return false;
  if (isModern(toFields(body).params)) return true;
  const header = request.headers['mcp-protocol-version'];
  return header !== undefined && !isLegacyRevision(header);
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  routes: ReadonlyMap<string, Handle>,
): Promise<void> {
  try {
    checkOrigin(request);
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const route = routes.get(path);
    if (route === undefined) return void sendJson(response, 404, { error: 'not found' });
    const body = request.method === 'POST' ? await readBody(request) : undefined;
    route({ request, response, body });
  } catch (error) {
    if (!response.headersSent)
      sendJson(response, error instanceof RpcError ? error.status : 500, toErrorMessage(error));
  }
}

/** DNS rebinding: a page of another site must not reach us under its own name (transports, security warning). */
function checkOrigin(request: IncomingMessage): void {
  const { host, origin } = request.headers;
  if (!isLocal(`http://${host ?? ''}`) || (origin !== undefined && !isLocal(origin))) {
    throw new RpcError(codes.invalidRequest, 'Host or Origin is not local', { status: 403 });
  }
}

function isLocal(text: string): boolean {
  const hostname = URL.canParse(text) ? new URL(text).hostname : '';
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new RpcError(codes.invalidRequest, 'Content-Type must be application/json', { status: 415 });
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > mostBodyBytes) throw new RpcError(codes.invalidRequest, 'body too large', { status: 413 });
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new RpcError(codes.parse, 'Parse error', { status: 400 });
  }
}
