import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Endpoint } from '../catalog/catalog.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Authenticate } from './authenticate.ts';
import { checkHttpRequest } from './http-guard.ts';
import { type McpContext, serveMcp } from './mcp-endpoint.ts';
import type { ModernCall } from './modern-call.ts';
import { Parking } from './parking.ts';
import type { GatewayPorts } from './ports.ts';
import { SessionStore } from './session-store.ts';
import { SseEndpoint } from './sse-endpoint.ts';
import { Streams } from './streams.ts';
import { toErrorBytes, toStatus } from './to-response.ts';

export interface HttpFront {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  /** Refuses new requests, waits for those in flight (bounded), then closes everything. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** Kept longer than a client's pause between calls, shorter than a NAT's memory. Milliseconds. */
const KEEP_ALIVE_MS = 65_000;
/** At the end, the last answers may be read for this long. Milliseconds. */
const LAST_READ_MS = 5_000;
/** A refused client may go on sending, unread, for this long. Milliseconds. */
const LINGER_MS = 1_000;
/** Half-sent requests are looked for this often: a slow client is cut within a second of its limit. Milliseconds. */
const CHECK_MS = 1_000;

/** The HTTP front door: one listener for all endpoints and all revisions. */
export async function openHttpFront(ports: GatewayPorts, authenticate: Authenticate): Promise<HttpFront> {
  const { gateway } = ports.snapshot();
  const context: McpContext = {
    ports,
    sessions: new SessionStore({
      upstreams: ports.upstreams,
      catalog: ports.catalog,
      now: () => ports.clock.now(),
      idleMs: () => ports.snapshot().gateway.sessionIdleMs,
    }),
    parking: new Parking<ModernCall>(ports.seal),
    streams: new Streams(),
  };
  const sse = new SseEndpoint(context);
  let draining = false;
  const server = createServer(
    {
      maxHeaderSize: gateway.limits.headerBytes,
      // Headers are a part of the request; Node refuses to wait longer for them than for the whole.
      headersTimeout: Math.min(gateway.limits.headerMs, gateway.limits.requestMs),
      requestTimeout: gateway.limits.requestMs,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    (request, response) => {
      serve(request, response).catch((error: unknown) => refuse(error, { request, response }));
    },
  );
  server.maxHeadersCount = gateway.limits.headerCount;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const settings = ports.snapshot().gateway;
    // maxHeadersCount drops what is too many in silence; a request that is not wholly seen is not served.
    if (request.rawHeaders.length > settings.limits.headerCount * 2)
      throw new FaultError('too_large', `More than ${settings.limits.headerCount} headers.`);
    checkHttpRequest(request, settings);
    const { origin } = request.headers;
    if (origin !== undefined) allowOrigin(response, origin);
    if (request.method === 'OPTIONS' && origin !== undefined) {
      response.writeHead(204, PREFLIGHT).end();
      return;
    }
    const path = pathOf(request.url ?? '/');
    if (path === '/healthz') {
      response.writeHead(draining ? 503 : 200, { 'content-type': 'text/plain' }).end(draining ? 'draining\n' : 'ok\n');
      return;
    }
    if (draining) throw new FaultError('draining', 'Sallyport is shutting down.');
    const principal = authenticate(request.headers.authorization);
    const route = findRoute(path, ports);
    const http = { request, response, endpoint: route.endpoint, principal };
    if (route.kind === 'mcp') await serveMcp(context, http);
    else if (route.kind === 'sse') await sse.open(http);
    else await sse.receive(http);
  }

  function refuse(error: unknown, { request, response }: { request: IncomingMessage; response: ServerResponse }): void {
    const fault = toFault(error);
    if (fault.code === 'internal')
      ports.log.error({ error: fault.cause ?? fault, path: pathOf(request.url ?? '/') }, 'a request failed inside');
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const bytes = toErrorBytes(undefined, fault);
    const headers: Record<string, string | number> = {
      'content-type': 'application/json',
      'content-length': bytes.length,
    };
    if (fault.code === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="sallyport"';
    // The rest of a body nobody reads must not reach the next request.
    if (!request.complete) headers['connection'] = 'close';
    const status = fault.code === 'not_found' ? 404 : fault.code === 'internal' ? 500 : toStatus(fault);
    response.writeHead(status, headers);
    if (request.complete) response.end(bytes);
    else endAfterRest(request, response, bytes);
  }

  await listen(server, gateway);
  const { address, port, family } = server.address() as AddressInfo; // A TCP listener's address is never a string or null.
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  let closing: Promise<void> | undefined;
  return {
    origin,
    close(graceMs) {
      closing ??= (async () => {
        draining = true;
        await Promise.race([ports.inFlight.whenIdle(), new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
        context.parking.close();
        context.sessions.close();
        context.streams.close();
        // Before the server is closed: that would cut what its connections still have to say.
        await endConnections(sockets);
        server.close();
        server.closeAllConnections();
      })();
      return closing;
    },
  };
}

/**
 * Says the whole answer at once and closes once the client has stopped sending: a connection closed over unread bytes is
 * reset, and the reset may destroy the answer before the client has read it (RFC 9112 section 9.6).
 */
function endAfterRest(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  response.write(bytes);
  request.resume();
  const end = () => {
    clearTimeout(patience);
    response.end(() => request.destroy());
  };
  const patience = setTimeout(end, LINGER_MS);
  patience.unref();
  request.once('end', end);
  request.once('close', end);
}

/** Closes connections once what was written to them has been taken: an answer is not answered before it is read. */
async function endConnections(sockets: ReadonlySet<Socket>): Promise<void> {
  const taken = [...sockets].map((socket) => {
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroySoon();
    return closed;
  });
  await Promise.race([Promise.all(taken), new Promise((resolve) => setTimeout(resolve, LAST_READ_MS).unref())]);
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cause =
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use: stop the other program, or set gateway.port (0 lets the system choose)`
          : error.message;
      reject(new FaultError('config', `Listening on ${host}:${port} failed: ${cause}.`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

type Route = { readonly kind: 'mcp' | 'sse' | 'message'; readonly endpoint: Endpoint };

const ALL: Endpoint = Object.freeze({ kind: 'all' });
const SHARED_ROUTES: ReadonlyMap<string, Route> = new Map([
  ['/mcp', { kind: 'mcp', endpoint: ALL }],
  ['/sse', { kind: 'sse', endpoint: ALL }],
  ['/message', { kind: 'message', endpoint: ALL }],
]);

function findRoute(path: string, ports: GatewayPorts): Route {
  const shared = SHARED_ROUTES.get(path);
  if (shared !== undefined) return shared;
  const match = /^\/servers\/([^/]+)\/(mcp|sse|message)$/.exec(path);
  const name = match === null ? undefined : decode(match[1] ?? '');
  if (match === null || name === undefined || !ports.snapshot().servers.has(name)) {
    throw new FaultError('not_found', 'There is nothing at this path. Endpoints: /mcp, /servers/<name>/mcp, /sse.');
  }
  return { kind: match[2] as Route['kind'], endpoint: { kind: 'server', name } }; // The expression admits only these three.
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/]*/i, '');
  const end = path.indexOf('?');
  return end < 0 ? path : path.slice(0, end);
}

/** What browsers may send and read, once their Origin is allowed. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
};

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate');
  response.setHeader('vary', 'origin');
}
