import { unwrapCall } from '../call/discovery/call-through.ts';
import { setLogLevel } from '../call/follow.ts';
import type { Inbound } from '../call/inbound.ts';
import { introduce } from '../call/introduce.ts';
import { listItems } from '../call/list-items.ts';
import { mayNotify } from '../call/relay-request.ts';
import { judgeNotification, type Repeats, toContext } from '../call/watch.ts';
import type { Asked } from '../catalog/asked.ts';
import type { ListChange, View } from '../catalog/contract.ts';
import { concerns } from '../config/allowed.ts';
import { type Client, toDeclaration } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import { Answer, type Message, Notification, Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import type { Written } from '../core/response.ts';
import type { UpstreamEvent } from '../core/upstream-port.ts';
import { toClientInfo } from './client-info.ts';
import { dispatch, toListResult } from './dispatch.ts';
import { EventLog } from './event-log.ts';
import { FollowedResources } from './followed-resources.ts';
import { InOrder } from './in-order.ts';
import { toLegacyResult, toLegacyTools, withElicitationId } from './legacy-shape.ts';
import type { GatewayPorts } from './ports.ts';
import type { Reply } from './reply.ts';
import { type Asking, RequestExchange } from './request-exchange.ts';
import { type LegacyRevision, negotiate } from './revisions.ts';
import { toInbound } from './to-inbound.ts';
import { toErrorText, toStatus } from './to-response.ts';
import { NO_REASON, ToldNotifications } from './told-notifications.ts';

/** Where messages go that belong to no request: the GET stream, the event stream of 2024-11-05, stdout. */
export type Outlet = (text: string, eventId: string | undefined) => void;

/** Needs no list: what a client says must not wait for one. */
const UNASKED: Asked = { method: 'notifications', params: {} };

interface Question {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: FaultError) => void;
  readonly exchange: RequestExchange | undefined;
}

/** A question may be answered for this long after the end of the request it was asked through. Milliseconds. */
const LATE_ANSWER_MS = 60_000;
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * One client of the legacy era from `initialize` to its end, on any transport. The transport hands messages in and
 * says where answers go; what a session knows is here.
 */
export class LegacySession {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly revision: LegacyRevision;
  client: Client;
  readonly events = new EventLog();
  /** Milliseconds since the epoch. */
  lastUsed: number;
  onClose: (() => void) | undefined;
  readonly #ports: GatewayPorts;
  /** Few at a time: a list is searched faster than a map is kept, and leaves less garbage. */
  readonly #exchanges: { readonly request: Request; readonly exchange: RequestExchange }[] = [];
  readonly #questions = new Map<string, Question>();
  readonly #followed: FollowedResources;
  readonly #told: ToldNotifications;
  readonly #hearing = new InOrder<Notification>();
  readonly #repeats: Repeats = { allowed: undefined };
  #lastQuestion = 0;
  #logLevel: string | undefined;
  #outlet: Outlet | undefined;
  #endOutlet: (() => void) | undefined;
  #streamed = false;
  #closed = false;

  constructor(
    ports: GatewayPorts,
    id: string,
    opening: { request: Request; endpoint: Endpoint; principal: Principal },
  ) {
    this.#ports = ports;
    this.#followed = new FollowedResources(ports);
    this.#told = new ToldNotifications(ports, {
      client: () => this.client,
      endpoint: opening.endpoint,
      sees: (upstream) => this.#sees(upstream),
      view: () => this.#view(UNASKED),
    });
    this.id = id;
    this.endpoint = opening.endpoint;
    const { params } = opening.request;
    this.revision = negotiate(member(params, 'protocolVersion'));
    const capabilities = member(params, 'capabilities');
    this.client = {
      key: id,
      principal: opening.principal,
      info: toClientInfo(member(params, 'clientInfo')),
      ...toDeclaration('legacy', isObject(capabilities) ? capabilities : {}),
    };
    this.lastUsed = ports.clock.now();
  }

  get busy(): boolean {
    return this.#exchanges.length > 0 || this.#outlet !== undefined;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The same caller with a newer credential: what it allows counts from now on. */
  adopt(principal: Principal): void {
    if (principal !== this.client.principal) this.client = { ...this.client, principal };
  }

  get principal(): Principal {
    return this.client.principal;
  }

  /** The caller's credential is worth nothing any more: its stream ends. With a new one the session goes on. */
  expire(): void {
    this.#endOutlet?.();
  }

  /** @param end ends the stream behind it */
  setOutlet(outlet: Outlet | undefined, end?: () => void): void {
    this.#outlet = outlet;
    this.#endOutlet = end;
    if (outlet !== undefined) this.#streamed = true;
  }

  get hasOutlet(): boolean {
    return this.#outlet !== undefined;
  }

  /** The answer to `initialize` (2025-11-25 lifecycle#initialization). */
  async initialize(request: Request): Promise<Written> {
    const view = await this.#view(request);
    return Answer.result(request.id, {
      protocolVersion: this.revision,
      ...(await introduce(this.#ports, { ...this.#context(), view })),
      ...(view.instructions === undefined ? {} : { instructions: view.instructions }),
    }).write(request.id);
  }

  /** Takes one message of the client. Answers of requests go to `reply`, whenever they come; never throws. */
  receive(message: Message, reply: Reply): void {
    this.lastUsed = this.#ports.clock.now();
    if (message instanceof Request) void this.#answer(message, reply);
    else if (message instanceof Notification) this.#hear(message);
    else this.#hearAnswer(message);
  }

  /** Behind the notifications that came before it: a server drops progress for a question that it has the answer to. */
  #hearAnswer(answer: Answer): void {
    const question = this.#questions.get(answer.id);
    if (question !== undefined) this.#told.afterwards(() => question.resolve(answer));
  }

  async #answer(request: Request, reply: Reply): Promise<void> {
    const { client } = this;
    let exchange: RequestExchange | undefined;
    let entered = false;
    try {
      if (this.#closed) throw new FaultError('session_not_found', 'The session has ended. Initialize a new one.');
      if (this.#find(request.id) !== undefined)
        throw new FaultError('invalid_request', 'A request with this id is in flight.');
      const snapshot = this.#ports.snapshot();
      this.#ports.inFlight.enter(client, request.bytes.length, snapshot.gateway.limits);
      entered = true;
      const token = member(member(request.params, '_meta'), 'progressToken');
      const facts = {
        client,
        logLevel: this.#logLevel,
        progressToken: token === undefined ? undefined : request.textInParam('_meta', 'progressToken'),
      };
      exchange = new RequestExchange(facts, reply, this.#asking);
      this.#exchanges.push({ request, exchange });
      const response = await this.#respond(request, exchange);
      if (exchange.cancelled) throw new FaultError('cancelled', 'The client cancelled the request.');
      reply.answer(response.write(request.id), 200);
    } catch (error) {
      // A cancelled request gets no answer (2025-11-25 cancellation): clients report one as a message nobody waits for.
      if (exchange?.cancelled !== true || reply.end?.() !== true)
        reply.answer(toErrorText(request.id, error), toStatus(error));
    } finally {
      if (entered) this.#ports.inFlight.leave(client, request.bytes.length);
      if (exchange !== undefined) this.#forget(exchange);
      this.lastUsed = this.#ports.clock.now();
    }
  }

  #find(id: string) {
    return this.#exchanges.find(({ request }) => request.id === id);
  }

  #forget(exchange: RequestExchange): void {
    const at = this.#exchanges.findIndex((one) => one.exchange === exchange);
    if (at >= 0) this.#exchanges.splice(at, 1);
    if (this.#questions.size === 0) return;
    for (const question of this.#questions.values()) {
      if (question.exchange !== exchange) continue;
      const end = () => question.reject(new FaultError('cancelled', 'The request the question belonged to has ended.'));
      // The client has the question and will answer: a server that asks for roots on the side waits for that.
      if (exchange.cancelled) end();
      else setTimeout(end, LATE_ANSWER_MS).unref();
    }
  }

  async #respond(request: Request, exchange: RequestExchange) {
    switch (request.method) {
      case 'ping':
        return Answer.result(request.id, {});
      case 'initialize':
        throw new FaultError('invalid_request', 'This session is initialized already.');
      case 'shutdown':
        // The seed document's third phase; MCP itself ends a session by closing the transport.
        queueMicrotask(() => setImmediate(() => this.close()));
        return Answer.result(request.id, {});
      case 'tools/list': {
        const inbound = await this.#inbound(request, exchange);
        const page = await listItems(this.#ports, inbound, 'tools');
        if (page instanceof Answer) return toLegacyResult(page);
        return toListResult('tools', { ...page, items: toLegacyTools(inbound.view, page.items) });
      }
      case 'server/discover':
      case 'subscriptions/listen':
        // Passed on, they would show what is held or hidden here.
        throw new FaultError('method_not_found', `Method not found: ${request.method}`);
      case 'logging/setLevel':
        return this.#setLogLevel(await this.#inbound(request, exchange));
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.#followed.change(await this.#inbound(request, exchange));
      default: {
        const response = await dispatch(this.#ports, await this.#inbound(request, exchange));
        return response instanceof Answer ? toLegacyResult(response) : response;
      }
    }
  }

  #inbound(request: Request, exchange: RequestExchange): Inbound | Promise<Inbound> {
    const { endpoint } = this;
    return toInbound(this.#ports.catalog, { request, exchange, endpoint, snapshot: this.#ports.snapshot() });
  }

  async #setLogLevel(inbound: Inbound): Promise<Answer> {
    const { request, endpoint } = inbound;
    const level = member(request.params, 'level');
    if (typeof level !== 'string' || !LOG_LEVELS.includes(level)) {
      const given = typeof level === 'string' ? `Unknown level: ${level.slice(0, 64)}. ` : '';
      throw new FaultError(
        'invalid_params',
        `${given}logging/setLevel needs "level": one of ${LOG_LEVELS.join(', ')}.`,
      );
    }
    this.#logLevel = level;
    // One upstream: its own answer counts. All of them: the level goes along with each request to those that log.
    if (endpoint.kind === 'server') return setLogLevel(this.#ports, inbound, { upstream: endpoint.name, level });
    return Answer.result(request.id, {});
  }

  #context() {
    return { exchange: { client: this.client }, endpoint: this.endpoint, snapshot: this.#ports.snapshot() };
  }

  #hear(notification: Notification): void {
    if (notification.method === 'notifications/initialized') return;
    if (notification.method === 'notifications/cancelled') {
      const id = notification.param('requestId');
      const given = id && this.#find(notification.bytes.toString('latin1', id.start, id.end));
      if (given === undefined) return;
      if (typeof member(notification.params, 'reason') !== 'string') given.exchange.cancel(NO_REASON);
      else
        void this.#told
          .readReason(notification, unwrapCall(given.request, { ...this.#context(), client: this.client }))
          .then((reason) => given.exchange.cancel(reason));
      return;
    }
    const { endpoint } = this;
    const isAllowed = mayNotify(this.#ports, notification.method, { endpoint, snapshot: this.#ports.snapshot() });
    if (isAllowed) this.#told.tell(notification);
  }

  readonly #asking: Asking = {
    exclusive: false,
    ask: (request, exchange) => this.ask(request, exchange),
    toQuestion: withElicitationId,
  };

  /** Puts a question to the client, on the stream of the request it belongs to where there is one. */
  ask(request: Request, exchange: RequestExchange | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new FaultError('cancelled', 'The client has gone.'));
        return;
      }
      const id = String(++this.#lastQuestion);
      const done = () => this.#questions.delete(id);
      this.#questions.set(id, {
        resolve: (answer) => {
          done();
          resolve(answer);
        },
        reject: (fault) => {
          done();
          reject(fault);
        },
        exchange,
      });
      const text = request.write(id);
      if (exchange === undefined) this.send(text);
      else exchange.reply.message(text);
    });
  }

  /** A message that belongs to no request. */
  send(text: string): void {
    if (this.#closed || !this.#streamed) return;
    this.#outlet?.(text, this.events.append(0, text));
    if (this.#outlet === undefined) this.events.append(0, text);
  }

  onListChange({ upstream, list, profile, principal, isSame }: ListChange): void {
    if (isSame === true && this.endpoint.kind !== 'server') return;
    // Told before its own list is the new one, a client would read the old one and not look again.
    if (profile !== undefined && profile !== this.client.profile) return;
    if (principal !== undefined && principal !== this.principal.id) return;
    if (this.#sees(upstream)) this.send(Notification.of(`notifications/${list}/list_changed`).write());
  }

  onUpstreamEvent(event: UpstreamEvent): void {
    if (!this.#sees(event.upstream)) return;
    if (event.kind === 'resource_updated') {
      const uri = this.#followed.uriOf(event.upstream, event.uri);
      if (uri === undefined || !event.isFor(this.client)) return;
      this.#pass(event, (heard) => heard.write(uri === event.uri ? [] : [heard.setParam('uri', JSON.stringify(uri))]));
    } else if (event.kind === 'log' || event.kind === 'other') {
      if (event.client !== undefined && event.client !== this.client.key) return;
      if (this.#ports.taskOwners.isOfOther(event.upstream, event.notification, this.principal)) return;
      if (event.kind === 'log' && event.principal !== this.principal.id) return;
      if (event.kind === 'log' && !this.#wantsLog(member(event.notification.params, 'level'))) return;
      this.#pass(event, (heard) => heard.write());
    }
  }

  /** What belongs to no request is judged as what does. */
  #pass(
    { upstream, notification }: { readonly upstream: string; readonly notification: Notification },
    write: (heard: Notification) => string,
  ): void {
    const judged = judgeNotification(this.#ports, toContext(this.#context(), upstream), notification, this.#repeats);
    this.#hearing.push(judged, (heard) => this.send(write(heard)));
  }

  #wantsLog(level: unknown): boolean {
    return this.#logLevel === undefined || LOG_LEVELS.indexOf(String(level)) >= LOG_LEVELS.indexOf(this.#logLevel);
  }

  #sees(upstream: string): boolean {
    const { groups } = this.client.principal;
    return concerns(this.#ports.snapshot(), this.endpoint, { upstream, groups });
  }

  #view(request: Asked): View | Promise<View> {
    return this.#ports.catalog.view(this.#ports.snapshot(), this.endpoint, this.client, request);
  }

  /** Ends the session: its calls are cancelled, its questions refused, its own upstream connections closed. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { exchange } of [...this.#exchanges]) exchange.cancel('the session has ended');
    for (const question of this.#questions.values())
      question.reject(new FaultError('cancelled', 'The client has gone.'));
    this.#ports.catalog.forget(this.client.key);
    this.#ports.upstreams.release(this.client.key);
    this.onClose?.();
    this.#outlet = undefined;
  }
}
