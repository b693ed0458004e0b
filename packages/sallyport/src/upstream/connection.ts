import type { ServerSettings } from '../config/settings.ts';
import type { Client, Era } from '../core/client.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { IdTable } from '../core/id-table.ts';
import { type JsonObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import {
  type Answer,
  type Message,
  Notification,
  parseBatch,
  parseUpstreamMessage,
  type Request,
} from '../core/message.ts';
import type { UpstreamEvent } from '../core/upstream-port.ts';
import type { Dialect } from './dialect.ts';
import type { FloodGate } from './flood-gate.ts';
import { Notices } from './notices.ts';
import { Pending, type RequestOptions, toLate } from './pending.ts';
import { missingCapability, Questions, whomToAsk } from './questions.ts';
import { SoleUser } from './sole-user.ts';
import { toUnreadableAnswer } from './unreadable-answer.ts';
import type { OutgoingMessage, Wire, WireSink } from './wire.ts';

export interface ConnectionOptions {
  readonly settings: ServerSettings;
  readonly log: Log;
  readonly emit: (event: UpstreamEvent) => void;
  /** One for all connections of the server. */
  readonly gate: FloodGate;
  /** The wire is gone, or the connection was closed. Called once. */
  readonly gone: (connection: Connection, fault: FaultError) => void;
  /** A message that could not be read. */
  readonly unreadable: (bytes: Buffer) => void;
  /** A question came outside of any request although the wire could have related it. */
  readonly strayed: (connection: Connection) => void;
  /** The era whose clients alone have connections like this one. */
  readonly eraOf: (connection: Connection) => Era | undefined;
  readonly isUsedBy: (connection: Connection, client: Client) => boolean;
}

const LIMITS = { maxDepth: 512, uniqueKeys: false };
const OPEN_BRACKET = 0x5b;

/**
 * JSON-RPC over one wire: ids, deadlines, progress, cancellation, questions, notifications. What a revision does
 * differently is in its dialect.
 */
export class Connection implements WireSink {
  readonly settings: ServerSettings;
  /** Known once the handshake is done. */
  dialect: Dialect | undefined;
  /** What a legacy handshake declared: the client capabilities every question is measured by. */
  capabilities: JsonObject = {};
  /** The key of the one client this connection serves; `undefined` while it is shared. */
  owner: string | undefined;
  /** The client on whose behalf it was made. */
  madeFor: Client | undefined;
  /** When the last answer or notification came. `performance.now()`. */
  heardAt = 0;
  /** When the last request ended. `performance.now()`. */
  usedAt = performance.now();
  readonly #options: ConnectionOptions;
  readonly #pending = new IdTable<Pending>();
  readonly #questions: Questions;
  readonly #notices: Notices;
  #wire: Wire | undefined;
  #lastId = 0;
  #standing = 0;
  #retired = false;
  #closed: Promise<void> | undefined;
  #ended: () => void = () => {};
  readonly #end = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });
  /** The clients that used it, as far as it matters whether there was more than one. */
  readonly #users = new SoleUser();
  /** The same for the callers whose calls it carried. */
  readonly #callers = new SoleUser();

  constructor(options: ConnectionOptions) {
    this.settings = options.settings;
    this.#options = options;
    this.#questions = new Questions({
      reply: (text) => this.send(text),
      patienceMs: options.settings.startTimeoutMs,
    });
    this.#notices = new Notices({
      upstream: options.settings.name,
      emit: options.emit,
      find: (id) => this.#pending.get(id),
      sole: () =>
        this.relates || this.inFlight !== 1 || this.#callers.areMany
          ? undefined
          : this.#pending.values().find((pending) => !pending.standing),
      owner: () => this.owner,
      caller: () => (this.#callers.areMany ? undefined : (this.#callers.one ?? this.madeFor?.principal.id)),
      spoken: () => this.dialect?.era,
      era: () => options.eraOf(this),
      isFor: (client) => options.isUsedBy(this, client),
    });
  }

  attach(wire: Wire): void {
    this.#wire = wire;
    if (this.#closed !== undefined) void wire.close();
  }

  get relates(): boolean {
    return this.#wire?.relates ?? false;
  }

  get wire(): Wire | undefined {
    return this.#wire;
  }

  get isOpen(): boolean {
    return this.dialect !== undefined;
  }

  get flooded(): boolean {
    return this.#options.gate.over;
  }

  /** New requests may use it. */
  get usable(): boolean {
    return !this.#retired && this.#closed === undefined;
  }

  /** Without streams that stay open: they alone keep nothing alive. */
  get inFlight(): number {
    return this.#pending.size - this.#standing;
  }

  get busy(): boolean {
    return this.inFlight > 0 || this.#questions.open > 0;
  }

  /** The one client that ever used it, if it was one; the one it was made for while nobody has. */
  get soleUser(): string | undefined {
    return this.#users.areMany ? undefined : (this.#users.one ?? this.madeFor?.key);
  }

  /**
   * Sends a request under an id of ours.
   * @throws FaultError `timeout`, `cancelled`, `unreachable` and what the wire reports.
   */
  request(method: string, write: (id: number) => OutgoingMessage, options: RequestOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const wire = this.#wire;
      if (this.#closed !== undefined || wire === undefined) {
        reject(new FaultError('unreachable', `The connection to "${this.settings.name}" has ended.`));
        return;
      }
      const { exchange, timing } = options;
      if (exchange?.cancelled) {
        reject(new FaultError('cancelled', 'The client cancelled the request.'));
        return;
      }
      const id = this.#pending.nextId(this.#lastId);
      this.#lastId = id;
      let message: OutgoingMessage;
      try {
        message = write(id);
      } catch (error) {
        reject(toFault(error));
        return;
      }
      const late = (pending: Pending) => this.#giveUp(pending, toLate(this.settings.name, method, options), options);
      const standing = options.standing === true;
      const pending = new Pending({ id, method, exchange, standing, timing, late, resolve, reject });
      this.#pending.set(id, pending);
      if (standing) this.#standing++;
      if (exchange !== undefined) this.#enter(exchange, pending, options);
      options.started?.(pending);
      wire.send(message);
      if (exchange !== undefined && exchange.unattended !== true && this.#questions.waiting > 0)
        this.#questions.release(pending);
    });
  }

  /** A notification or an answer of ours, as a binary string. */
  send(text: string, headers?: Readonly<Record<string, string>>): void {
    this.#wire?.send({ text, id: undefined, headers });
  }

  /** Ends one request of ours, e.g. a listening stream. */
  drop(id: number): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) this.#giveUp(pending, new FaultError('cancelled', 'No longer wanted.'), {});
  }

  /** Takes no new requests and closes once those in flight are done; resolves when it is closed. */
  retire(): Promise<void> {
    this.#retired = true;
    this.#closeWhenIdle();
    return this.#end;
  }

  close(fault = new FaultError('unreachable', `The connection to "${this.settings.name}" was closed.`)): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = Promise.resolve();
      this.#failAll(fault);
      this.#closed = (this.#wire?.close() ?? Promise.resolve()).finally(this.#ended);
      this.#options.gone(this, fault);
    }
    return this.#closed;
  }

  // WireSink

  message(bytes: Buffer, related: number | undefined): void {
    this.heardAt = performance.now();
    if (this.#options.gate.drops(bytes)) return;
    let messages: readonly (Message | FaultError)[];
    try {
      messages = (bytes[0] === OPEN_BRACKET ? parseBatch(bytes, LIMITS) : undefined) ?? [parseUpstreamMessage(bytes)];
    } catch (error) {
      messages = [toFault(error)];
    }
    for (const message of messages) {
      if (message instanceof FaultError) this.#noteUnreadable(bytes, message);
      else this.#take(message, related);
    }
  }

  #take(message: Message, related: number | undefined): void {
    try {
      if (message.kind === 'answer') this.#answer(message, related);
      else if (message.kind === 'request') this.#question(message, related);
      else this.#notification(message, related);
    } catch (error) {
      // Whoever listens must not bring down the wire that others use.
      this.#options.log.error({ upstream: this.settings.name, error }, 'A message could not be passed on');
    }
  }

  failed(id: number, fault: FaultError): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    // The session is over for the others too, but their exchanges may still bring answers.
    if (fault.code === 'session_not_found') this.#retired = true;
    this.#finish(pending);
    pending.reject(fault);
  }

  suspended(id: number): void {
    this.#pending.get(id)?.exchange?.suspend?.();
  }

  lost(fault: FaultError): void {
    void this.close(fault);
  }

  // Answers

  #answer(answer: Answer, related: number | undefined): void {
    // An error without an id answers the request on whose stream it came (JSON-RPC 2.0, section 5).
    const pending = this.#pending.get(answer.id === '' && related !== undefined ? related : Number(answer.id));
    if (pending === undefined) {
      this.#options.log.debug(
        { upstream: this.settings.name, id: answer.id.slice(0, 40) },
        'An answer nobody waits for',
      );
      return;
    }
    this.#wire?.answered?.(pending.id);
    this.#finish(pending);
    pending.resolve(answer);
  }

  #finish(pending: Pending): void {
    this.#pending.delete(pending.id);
    if (pending.standing) this.#standing--;
    this.usedAt = performance.now();
    if (this.#retired) this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (this.inFlight > 0 || this.#closed !== undefined) return;
    // After the answer that ended the last request has been handed on.
    setImmediate(() => {
      if (this.inFlight === 0) void this.close();
    });
  }

  #giveUp(
    pending: Pending,
    fault: FaultError,
    { handshake, reason }: { readonly handshake?: boolean; readonly reason?: string },
  ): void {
    if (this.#pending.get(pending.id) !== pending) return;
    this.#finish(pending);
    const wire = this.#wire;
    // A handshake is never cancelled (2025-11-25, Cancellation). Over modern HTTP closing the exchange says it all.
    if (!handshake && wire !== undefined && (this.dialect?.era === 'legacy' || !wire.relates)) {
      const params = { requestId: pending.id, reason: reason ?? fault.message };
      this.send(Notification.of('notifications/cancelled', params).bytes.toString('latin1'));
    }
    wire?.abandon(pending.id);
    pending.reject(fault);
  }

  #enter(exchange: Exchange, pending: Pending, options: RequestOptions): void {
    exchange.onCancel = (reason) =>
      this.#giveUp(pending, new FaultError('cancelled', 'The client cancelled the request.'), { ...options, reason });
    const { key, principal } = exchange.client;
    this.#users.add(key);
    if (exchange.unattended !== true) this.#callers.add(principal.id);
  }

  #failAll(fault: FaultError): void {
    this.#questions.close();
    for (const pending of this.#pending.values()) {
      this.#finish(pending);
      pending.reject(fault);
    }
  }

  // Questions

  #question(request: Request, related: number | undefined): void {
    if (request.method === 'ping') {
      this.send(`{"jsonrpc":"2.0","id":${request.id},"result":{}}`);
      return;
    }
    if (this.dialect?.era === 'modern') {
      // 2026-07-28 has no server requests, and over HTTP an answer of ours would be refused.
      this.#options.log.warn(
        { upstream: this.settings.name, method: request.method },
        'A modern server sent a request',
      );
      if (!this.relates) this.#questions.refuse(request, -32601, 'Servers send no requests in this revision.');
      return;
    }
    const missing = missingCapability(request.method, this.capabilities);
    if (missing !== undefined) {
      this.#questions.refuse(request, -32601, `The client did not declare the capability "${missing}".`);
      return;
    }
    if (related !== undefined) {
      const pending = this.#pending.get(related);
      if (pending === undefined)
        this.#questions.refuse(request, -32603, 'The request this question belongs to is over.');
      else this.#questions.ask(request, pending);
      return;
    }
    this.#stray(request);
  }

  #stray(request: Request): void {
    if (this.relates && this.owner === undefined) this.#options.strayed(this);
    const asked = whomToAsk(this.#pending.values());
    if (asked === 'several')
      this.#questions.refuse(
        request,
        -32603,
        'Requests of several clients are in flight: it is not clear whom to ask.',
      );
    else if (asked !== 'nobody') this.#questions.ask(request, asked, { stray: true });
    // Whoever comes next may only be asked when it can be no other client's question.
    else if (this.owner !== undefined || !this.#users.areMany) this.#questions.wait(request);
    else this.#questions.refuse(request, -32603, 'No request is in flight, and several clients use this connection.');
  }

  // Notifications

  #notification(heard: Notification, related: number | undefined): void {
    if (heard.method === 'notifications/cancelled') {
      this.#takenBack(heard.params);
      return;
    }
    const notification = this.dialect?.notice === undefined ? heard : this.dialect.notice(heard);
    if (notification !== undefined)
      this.#options.gate.take(notification, () => this.#notices.take(notification, related));
  }

  /** A legacy server takes a question back; a modern one ends a listening stream (2026-07-28, Cancellation). */
  #takenBack(params: JsonObject): void {
    const id = member(params, 'requestId');
    const pending = this.#pending.get(Number(id));
    if (this.dialect?.era !== 'modern') this.#questions.cancelled(JSON.stringify(id ?? null));
    else if (pending?.method === 'subscriptions/listen') {
      this.#finish(pending);
      pending.reject(new FaultError('unreachable', `"${this.settings.name}" ended the stream.`));
    }
  }

  #noteUnreadable(bytes: Buffer, fault: FaultError): void {
    this.#options.log.warn(
      { upstream: this.settings.name, reason: fault.message, bytes: bytes.length },
      'An unreadable message was ignored',
    );
    this.#options.unreadable(bytes);
    const answered = toUnreadableAnswer(this.settings.name, bytes, fault);
    if (answered !== undefined) this.failed(answered.id, answered.fault);
  }
}
