import type { IncomingMessage, ServerResponse } from 'node:http';
import { mayEnter } from '../config/allowed.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { decodePercent } from '../core/percent.ts';
import type { Principal } from '../core/principal.ts';
import { METRICS_TYPE } from '../telemetry/metrics-text.ts';
import type { Callers } from './auth/callers.ts';
import { CONTROL_PREFIX, serveControl } from './control-endpoint.ts';
import type { HttpExchange, HttpRequest, HttpResponse } from './http-exchange.ts';
import { checkHeadersOnce, checkHttpRequest } from './http-guard.ts';
import { isJson, type McpContext, serveMcp } from './mcp-endpoint.ts';
import type { GatewayPorts } from './ports.ts';
import { REGISTRY_PREFIX, serveRegistry } from './registry-endpoint.ts';
import { retryHeaders } from './retry-headers.ts';
import { SseEndpoint } from './sse-endpoint.ts';
import { toErrorText, toStatus } from './to-response.ts';

export interface HttpServiceOptions {
  readonly context: McpContext;
  readonly callers: Callers;
  readonly phase: () => Phase;
}

/** `leaving`: not ready, and serving while balancers find out; `closing`: no new requests are taken. */
export type Phase = 'open' | 'leaving' | 'closing';

const HEALTH_PATH = '/healthz';
/** A refused client may go on sending, unread, for this long. Milliseconds. */
const LINGER_MS = 1_000;

/** From a request to its endpoint: checks, who it is, where it goes, and how it is told when that fails. Never throws. */
export class HttpService {
  readonly #options: HttpServiceOptions;
  readonly #sse: SseEndpoint;
  /** When somebody asked for readiness last. `performance.now()`. */
  probedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HttpServiceOptions) {
    this.#options = options;
    this.#sse = new SseEndpoint(options.context);
  }

  /** A request that Node's server read. */
  serveNode(request: IncomingMessage, response: ServerResponse): void {
    attempt(
      () => this.#serveNode(request, response),
      (error) => this.#refuseNode(error, request, response),
    );
  }

  /** Whether a request with this head may be served, as far as the head tells. */
  isWelcome(request: HttpRequest): boolean {
    const { context, callers } = this.#options;
    try {
      checkHttpRequest(request, context.ports.snapshot().gateway);
      // A proof is good for one look at the request, and that is not this one.
      if (request.headers['dpop'] !== undefined) return false;
      const caller = callers.authenticate(request);
      if (!(caller instanceof Promise)) return isJson(request);
      // Known a moment later; until then, and if it is refused, Node's server waits.
      caller.catch(() => undefined);
      return false;
    } catch {
      return false;
    }
  }

  /** A request that the fast path read: whole, every header once, without an Origin. */
  serveFast(request: HttpRequest, response: HttpResponse): void {
    attempt(
      () => {
        checkHttpRequest(request, this.#options.context.ports.snapshot().gateway);
        return this.#serve(request, response);
      },
      (error) => this.#refuseFast(error, request, response),
    );
  }

  #serveNode(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
    const settings = this.#options.context.ports.snapshot().gateway;
    // maxHeadersCount drops what is too many in silence; a request that is not wholly seen is not served.
    if (request.rawHeaders.length > settings.limits.headerCount * 2)
      throw new FaultError('too_large', `More than ${settings.limits.headerCount} headers.`);
    checkHeadersOnce(request.rawHeaders);
    const { origin } = request.headers;
    // Probes of orchestrators name an address that no configuration knows; the answer is one word. Pages stay refused.
    if (request.url === HEALTH_PATH && origin === undefined) {
      this.#tellHealth(response);
      return;
    }
    checkHttpRequest(request, settings);
    // The client asks again on a connection of its own, which a balancer can take elsewhere.
    if (this.#options.phase() !== 'open') response.setHeader('connection', 'close');
    if (origin !== undefined) allowOrigin(response, origin);
    if (request.method === 'OPTIONS' && origin !== undefined) {
      response.writeHead(204, PREFLIGHT).end();
      return;
    }
    return this.#serve(request, response);
  }

  #serve(request: HttpRequest, response: HttpResponse): Promise<void> | void {
    const { callers, phase } = this.#options;
    const path = pathOf(request.url ?? '/');
    if (path === HEALTH_PATH) {
      this.#tellHealth(response);
      return;
    }
    if (phase() === 'closing') throw new FaultError('draining', 'Sallyport is shutting down.');
    const metadata = path.startsWith('/.well-known/') ? callers.metadata(request) : undefined;
    if (metadata !== undefined) {
      const headers = { 'content-type': 'application/json', 'cache-control': `max-age=${metadata.maxAgeS}` };
      response.writeHead(200, headers).end(request.method === 'HEAD' ? '' : metadata.json);
      return;
    }
    const caller = callers.authenticate(request);
    if (!(caller instanceof Promise)) return this.#route(path, { request, response, principal: caller });
    return caller.then((principal) =>
      response.destroyed ? undefined : this.#route(path, { request, response, principal }),
    );
  }

  #tellHealth(response: HttpResponse): void {
    this.probedAt = performance.now();
    const health = this.#health();
    response.writeHead(health === 'ok' ? 200 : 503, { 'content-type': 'text/plain' }).end(`${health}\n`);
  }

  /** `unrecorded`: every call is refused while it cannot be recorded. */
  #health(): 'ok' | 'draining' | 'unrecorded' {
    if (this.#options.phase() !== 'open') return 'draining';
    return this.#options.context.ports.audit.trouble() === undefined ? 'ok' : 'unrecorded';
  }

  #route(path: string, { request, response, principal }: Omit<HttpExchange, 'endpoint'>): Promise<void> | void {
    const { context, callers } = this.#options;
    const { control, metricsText } = context.ports;
    if (metricsText !== undefined && path === '/metrics') {
      serveMetrics(metricsText, { request, response, principal });
      return;
    }
    if (control !== undefined && path.startsWith(CONTROL_PREFIX)) {
      const { bodyBytes } = context.ports.snapshot().gateway.limits;
      const isCurrent = (who: Principal) => callers.isCurrent(who);
      const around = { streams: context.streams, bodyBytes, isCurrent };
      return serveControl(control, { request, response, principal, path }, around);
    }
    if (path.startsWith(REGISTRY_PREFIX)) return serveRegistry(context.ports, { request, response, principal, path });
    const route = findRoute(path, context.ports, principal);
    const http = { request, response, endpoint: route.endpoint, principal };
    if (route.kind === 'mcp') return serveMcp(context, http);
    return route.kind === 'sse' ? this.#sse.open(http) : this.#sse.receive(http);
  }

  #refuseNode(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#toRefusal(error, request);
    if (response.headersSent || response.destroyed) response.destroy();
    else if (request.complete) response.writeHead(refusal.status, refusal.headers).end(refusal.body, 'latin1');
    else {
      // The rest of a body nobody reads must not reach the next request.
      response.writeHead(refusal.status, { ...refusal.headers, connection: 'close' });
      endAfterRest(request, response, refusal.body);
    }
  }

  #refuseFast(error: unknown, request: HttpRequest, response: HttpResponse): void {
    const refusal = this.#toRefusal(error, request);
    if (response.headersSent || response.destroyed) response.destroy();
    else response.writeHead(refusal.status, refusal.headers).end(refusal.body, 'latin1');
  }

  #toRefusal(error: unknown, request: HttpRequest): Refusal {
    const fault = toFault(error);
    if (fault.code === 'internal')
      this.#options.context.ports.log.error(
        { error: fault.cause ?? fault, path: pathOf(request.url ?? '/') },
        'a request failed inside',
      );
    const body = toErrorText(undefined, fault);
    const headers: Record<string, string | number> = {
      'content-type': 'application/json',
      'content-length': body.length,
    };
    Object.assign(headers, retryHeaders(fault.failure.http));
    const challenge = this.#options.callers.challenge(fault, request);
    if (challenge !== undefined) headers['www-authenticate'] = challenge;
    return {
      status: fault.code === 'not_found' ? 404 : fault.code === 'internal' ? 500 : toStatus(fault),
      headers,
      body,
    };
  }
}

/**
 * What everybody does with every tool: for who runs this Sallyport. As in the REST API, a credential that is limited by
 * scopes needs the one of administrators. @throws FaultError `forbidden`.
 */
function serveMetrics(text: () => string, { request, response, principal }: Omit<HttpExchange, 'endpoint'>): void {
  const { groups, scopes } = principal;
  if (!groups.includes('admin') || scopes?.includes('control:admin') === false)
    throw new FaultError(
      'forbidden',
      'The metrics are for callers of the group admin; one that is limited by scopes needs the scope control:admin.',
    );
  if (request.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
  else response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(text());
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** A binary string. */
  readonly body: string;
}

/** Work that may fail at once or later; the usual request needs no promise. */
function attempt(work: () => Promise<void> | void, failed: (error: unknown) => void): void {
  try {
    const pending = work();
    if (pending !== undefined) pending.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/**
 * Says the whole answer at once and closes once the client has stopped sending: a connection closed over unread bytes is
 * reset, and the reset may destroy the answer before the client has read it (RFC 9112 section 9.6).
 */
function endAfterRest(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.write(body, 'latin1');
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

type Route = { readonly kind: 'mcp' | 'sse' | 'message'; readonly endpoint: Endpoint };

const ALL: Endpoint = Object.freeze({ kind: 'all' });
const ALL_PLAIN: Endpoint = Object.freeze({ kind: 'all', isPlain: true });
const SHARED_ROUTES: ReadonlyMap<string, Route> = new Map([
  ['/mcp/plain', { kind: 'mcp', endpoint: ALL_PLAIN }],
  ['/sse/plain', { kind: 'sse', endpoint: ALL_PLAIN }],
  ['/message/plain', { kind: 'message', endpoint: ALL_PLAIN }],
  ['/mcp', { kind: 'mcp', endpoint: ALL }],
  ['/sse', { kind: 'sse', endpoint: ALL }],
  ['/message', { kind: 'message', endpoint: ALL }],
]);

/** A door that is not there for this caller is answered like one that is there for nobody. */
function findRoute(path: string, ports: GatewayPorts, { groups }: Principal): Route {
  const shared = SHARED_ROUTES.get(path);
  if (shared !== undefined) return shared;
  const match = /^\/(server|bundle)s\/([^/]+)\/(mcp|sse|message)(\/plain)?$/.exec(path);
  const name = match === null ? undefined : decodePercent(match[2] ?? '');
  const endpoint = match === null || name === undefined ? undefined : toEndpoint(match, name);
  if (match === null || endpoint === undefined || !mayEnter(ports.snapshot(), endpoint, groups)) {
    throw new FaultError(
      'not_found',
      'There is nothing at this path. Endpoints: /mcp, /servers/<name>/mcp, /bundles/<name>/mcp, /sse.',
    );
  }
  // The expression admits only these three.
  return { kind: match[3] as Route['kind'], endpoint };
}

/** The list of a server is always plain. */
function toEndpoint([, kind, , , plain]: readonly (string | undefined)[], name: string): Endpoint {
  if (kind === 'server') return { kind, name };
  return plain === undefined ? { kind: 'bundle', name } : { kind: 'bundle', name, isPlain: true };
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
    'authorization, dpop, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
};

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader(
    'access-control-expose-headers',
    'mcp-session-id, www-authenticate, ratelimit, ratelimit-policy, retry-after',
  );
  response.setHeader('vary', 'origin');
}
