import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { isLoopback } from '../config/resolve.ts';
import { FaultError } from '../core/errors.ts';
import type { Callers } from './auth/callers.ts';
import { FastPath } from './fast-path.ts';
import { Handshakes } from './handshakes.ts';
import { HttpService, type Phase } from './http-service.ts';
import type { McpContext } from './mcp-endpoint.ts';
import type { ModernCall } from './modern-call.ts';
import { Parking } from './parking.ts';
import type { GatewayPorts } from './ports.ts';
import { SessionStore } from './session-store.ts';
import { Streams } from './streams.ts';

export interface HttpFront {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  /** Open sessions of legacy clients. */
  readonly sessions: () => number;
  /**
   * Says that it is not ready and goes on serving for a while; then refuses new requests, waits for those in flight
   * (bounded), and closes everything. Idempotent.
   */
  close(ending: Ending): Promise<void>;
}

export interface Ending {
  /** How long calls in flight may take after that. Milliseconds. */
  readonly graceMs: number;
  /** Ends the calls that took longer, each with an answer that says so. */
  cutOff(): void;
}

/** Kept longer than a client's pause between calls, shorter than a NAT's memory. Milliseconds. */
const KEEP_ALIVE_MS = 65_000;
/** At the end, the last answers may be read for this long. Milliseconds. */
const LAST_READ_MS = 5_000;
/** And those of calls that were cut off may be written for this long. Milliseconds. */
const CUT_OFF_MS = 1_000;
/** Left out, `gateway.drainMs` is this where somebody asked for readiness in the last minute. Milliseconds, as below. */
const DRAIN_MS = 5_000;
const PROBED_MS = 60_000;
/** Half-sent requests are looked for this often: a slow client is cut within a second of its limit. Milliseconds. */
const CHECK_MS = 1_000;

/** The HTTP front door: one listener for all endpoints and all revisions. */
export async function openHttpFront(ports: GatewayPorts, callers: Callers): Promise<HttpFront> {
  const { gateway } = ports.snapshot();
  const context: McpContext = {
    ports,
    sessions: new SessionStore({
      upstreams: ports.upstreams,
      catalog: ports.catalog,
      now: () => ports.clock.now(),
      idleMs: () => ports.snapshot().gateway.sessionIdleMs,
      isCurrent: (principal) => callers.isCurrent(principal),
    }),
    parking: new Parking<ModernCall>(ports.seal),
    streams: new Streams(),
    isCurrent: (principal) => callers.isCurrent(principal),
  };
  let phase: Phase = 'open';
  const service = new HttpService({ context, callers, phase: () => phase });
  const options = {
    maxHeaderSize: gateway.limits.headerBytes,
    // Headers are a part of the request; Node refuses to wait longer for them than for the whole.
    headersTimeout: Math.min(gateway.limits.headerMs, gateway.limits.requestMs),
    requestTimeout: gateway.limits.requestMs,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  };
  const { tls } = callers;
  const serve = (request: IncomingMessage, response: ServerResponse) => service.serveNode(request, response);
  const server = tls === undefined ? createServer(options, serve) : createTlsServer({ ...tls, ...options }, serve);
  server.maxHeadersCount = gateway.limits.headerCount;
  // The server keeps its listener and its clocks; connections come to it through the fast path.
  const arrival = tls === undefined ? 'connection' : 'secureConnection';
  const [serveConnection] = server.listeners(arrival);
  if (serveConnection === undefined) throw new FaultError('internal', 'node:http does not listen for connections.');
  server.removeAllListeners(arrival);
  const fastPath = new FastPath({
    limits: () => ports.snapshot().gateway.limits,
    keepAliveMs: KEEP_ALIVE_MS,
    isLeaving: () => phase !== 'open',
    isWelcome: (head, socket) => service.isWelcome({ method: 'POST', url: head.url, headers: head.headers, socket }),
    serve: (request, response) => service.serveFast(request, response),
    handOver: (socket) => serveConnection.call(server, socket),
  });
  const sockets = new Set<Socket>();
  const handshakes = tls === undefined ? undefined : new Handshakes();
  if (handshakes !== undefined) server.on('connection', (socket: Socket) => handshakes.began(socket));
  server.on(arrival, (socket: Socket) => {
    if (handshakes?.ended(socket) === false) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    fastPath.accept(socket);
  });
  // Half-open handshakes end by themselves; a failed one is the other side's business.
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());

  const stopFollowing = callers.followTls(({ context, trust }) => {
    // Also ends the resumption of earlier sessions, whose certificates nobody would look at again.
    if (server instanceof TlsServer) server.setSecureContext({ ...tls, ...context });
    if (!trust) return;
    handshakes?.renewed();
    callers.doubt(sockets);
    fastPath.retire();
    server.closeIdleConnections();
  });

  await listen(server, gateway);
  const { address, port, family } = server.address() as AddressInfo; // A TCP listener's address is never a string or null.
  const scheme = tls === undefined ? 'http' : 'https';
  const origin = `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  callers.listensAt(isLoopback(address) ? [origin, `${scheme}://localhost:${port}`] : [origin]);
  let closing: Promise<void> | undefined;
  return {
    origin,
    sessions: () => context.sessions.size,
    close({ graceMs, cutOff }) {
      closing ??= (async () => {
        phase = 'leaving';
        const { drainMs = performance.now() - service.probedAt < PROBED_MS ? DRAIN_MS : 0 } = ports.snapshot().gateway;
        if (drainMs > 0) await wait(drainMs);
        phase = 'closing';
        stopFollowing();
        await idleWithin(ports, graceMs);
        // Also for calls that are parked until their clients come back.
        cutOff();
        await idleWithin(ports, CUT_OFF_MS);
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

/** Until nothing is in flight, but no longer than this. */
async function idleWithin({ inFlight }: GatewayPorts, ms: number): Promise<void> {
  const stop = new AbortController();
  await Promise.race([inFlight.whenIdle(), wait(ms, undefined, { signal: stop.signal }).catch(() => undefined)]);
  stop.abort();
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
