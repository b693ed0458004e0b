import { type Introduced, introduce } from '../call/introduce.ts';
import { mayNotify } from '../call/relay-request.ts';
import type { View } from '../catalog/contract.ts';
import { concerns } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { Notification, Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { type Response, TextResult } from '../core/response.ts';
import { dispatch } from './dispatch.ts';
import { Listen } from './listen.ts';
import { type Cancellable, faultStatus, ModernCall } from './modern-call.ts';
import {
  checkParamHeaders,
  type HeaderLookup,
  type ModernFacts,
  readModernClient,
  readModernFacts,
} from './modern-request.ts';
import type { Parking } from './parking.ts';
import type { GatewayPorts } from './ports.ts';
import type { Reply } from './reply.ts';
import { SUPPORTED_REVISIONS } from './revisions.ts';
import type { SessionStore } from './session-store.ts';
import { toInbound } from './to-inbound.ts';
import { toErrorText } from './to-response.ts';
import { tellServers } from './told-notifications.ts';
import { openUpstreamState } from './upstream-state.ts';

/** Gone from the modern protocol, or never a client's to send: not passed on to anybody. */
const REMOVED = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'shutdown',
]);

export interface ModernContext {
  readonly ports: GatewayPorts;
  readonly parking: Parking<ModernCall>;
  readonly sessions: SessionStore;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** `undefined` on stdio. */
  readonly header: HeaderLookup | undefined;
}

/**
 * Takes one request of a modern client; the answer goes to `reply`, whenever it comes. Never throws.
 * @returns how to tell the request that its client went away; `undefined` when it is answered already
 */
export function receiveModern(context: ModernContext, received: Request, reply: Reply): Cancellable | undefined {
  const { ports, principal, parking } = context;
  try {
    const facts = readModernFacts(received, principal, context.header);
    if (REMOVED.has(received.method)) throw new FaultError('method_not_found', `Method not found: ${received.method}`);
    const parked = parking.find(received, principal);
    if (parked !== undefined) {
      parked.resume(received, reply);
      return parked;
    }
    const request = openUpstreamState(received, principal, ports);
    const snapshot = ports.snapshot();
    if (request.method === 'subscriptions/listen') return openListen(context, { request, facts, snapshot, reply });
    ports.inFlight.enter(facts.client, request.bytes.length, snapshot.gateway.limits);
    const call = new ModernCall(request, facts, { reply, principal, parking, ports });
    void work(context, { request, facts, snapshot, call });
    return call;
  } catch (error) {
    noteMismatch(context, received, error);
    reply.answer(toErrorText(received.id, error), faultStatus(error));
    return undefined;
  }
}

/** They belong to a stream that ends by itself, or to a handshake that this era does not have. */
const UNTOLD: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/roots/list_changed',
]);

/**
 * Takes one notification of a modern client, and resolves once its servers were told: a client that sends one after the other
 * is heard in this order.
 * @throws FaultError `overloaded`
 */
export async function hearModern(
  { ports, endpoint, principal }: Pick<ModernContext, 'ports' | 'endpoint' | 'principal'>,
  notification: Notification,
): Promise<void> {
  const snapshot = ports.snapshot();
  const { method, params, bytes } = notification;
  if (UNTOLD.has(method) || !mayNotify(ports, method, { endpoint, snapshot })) return;
  const client = readModernClient(params, principal);
  const sees = (upstream: string) => concerns(snapshot, endpoint, { upstream, groups: principal.groups });
  ports.inFlight.enter(client, bytes.length, snapshot.gateway.limits);
  try {
    await tellServers(ports, { client: () => client, endpoint, sees }, notification);
  } finally {
    ports.inFlight.leave(client, bytes.length);
  }
}

/** Somebody between was to be told another story than we are: an attack, or a broken client. The operator is to know. */
function noteMismatch({ ports, principal }: ModernContext, { method }: Request, error: unknown): void {
  if (!(error instanceof FaultError) || error.code !== 'header_mismatch') return;
  const fields = { principal: principal.id, method: method.slice(0, 64), reason: error.message };
  ports.log.warn(fields, 'a request was refused whose headers do not match its body');
}

interface Job {
  readonly request: Request;
  readonly facts: ModernFacts;
  readonly snapshot: Snapshot;
  readonly call: ModernCall;
}

/** Never rejects. */
async function work(context: ModernContext, { request, facts, snapshot, call }: Job): Promise<void> {
  const { ports, endpoint, header } = context;
  const { client } = facts;
  try {
    const known = toInbound(ports.catalog, { request, exchange: call.exchange, endpoint, snapshot });
    const inbound = known instanceof Promise ? await known : known;
    const { view } = inbound;
    // Headers mirror the arguments that a client was told of: those of the call as it was written.
    if (header !== undefined && request.method === 'tools/call') checkArguments(request, view, header);
    const done =
      request.method === 'server/discover'
        ? introduce(ports, { exchange: call.exchange, endpoint, snapshot, view }).then((said) => discover(view, said))
        : dispatch(ports, inbound);
    call.settle(done instanceof Promise ? await done : done);
  } catch (error) {
    noteMismatch(context, request, error);
    call.fail(error);
  } finally {
    ports.inFlight.leave(client, request.bytes.length);
  }
}

function checkArguments(request: Request, view: View, header: HeaderLookup): void {
  const name = member(request.params, 'name');
  const tool = typeof name === 'string' ? view.tool(name) : undefined;
  const paths = tool === undefined ? undefined : view.paramHeaders(tool);
  if (paths === undefined || paths.size === 0) return;
  const given = member(request.params, 'arguments');
  checkParamHeaders(isObject(given) ? given : {}, paths, header);
}

/** Identity and capabilities do not change often; a client may rely on them for a minute. Milliseconds. */
const DISCOVER_TTL_MS = 60_000;

function discover(view: View, { capabilities, serverInfo }: Introduced): Response {
  const members = {
    supportedVersions: SUPPORTED_REVISIONS,
    capabilities,
    ...(view.instructions === undefined ? {} : { instructions: view.instructions }),
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  };
  return new TextResult(JSON.stringify(members).slice(1, -1), { ttlMs: DISCOVER_TTL_MS, cacheScope: 'private' });
}

function openListen(
  { ports, sessions, endpoint }: ModernContext,
  opening: { request: Request; facts: ModernFacts; snapshot: Snapshot; reply: Reply },
): Cancellable {
  const listen = new Listen(ports, { ...opening, endpoint });
  listen.onClose = sessions.follow(listen, opening.snapshot.gateway.limits.sessions);
  void listen.open().catch((error: unknown) => {
    listen.close();
    opening.reply.answer(toErrorText(opening.request.id, error), faultStatus(error));
  });
  return { onReplyClosed: () => listen.close() };
}
