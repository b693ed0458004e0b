import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange, Watch } from '../core/exchange.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { type Answer, type Notification, Request } from '../core/message.ts';
import { InOrder } from './in-order.ts';
import type { Reply } from './reply.ts';
import { judgeRound, screenAnswer, screenAnswers } from './screen-questions.ts';

/** How questions reach the client behind an exchange; the one thing in which eras differ here. */
export interface Asking {
  /** Stateless clients: nothing but the connection tells whose question it is, so an upstream connection serves one call at a time. */
  readonly exclusive: boolean;
  ask(request: Request, exchange: RequestExchange): Promise<Answer>;
  /** The params of an input that an upstream wants, as a question to this client. Left out: the upstream's result goes to it. */
  toQuestion?(params: JsonObject): JsonObject;
}

export interface ExchangeFacts {
  readonly client: Client;
  readonly logLevel: string | undefined;
  readonly progressToken: string | undefined;
}

/** The way back to the client for one request in flight; see the contract in `core/exchange.ts`. */
export class RequestExchange implements Exchange {
  readonly client: Client;
  readonly logLevel: string | undefined;
  readonly progressToken: string | undefined;
  readonly exclusive: boolean;
  onCancel: ((reason: string) => void) | undefined;
  watch: Watch | undefined;
  /** Where messages go now: a parked call gets a new one with each retry. */
  reply: Reply;
  readonly #asking: Asking;
  #telling: InOrder<Notification> | undefined;
  #cancelled = false;

  constructor(facts: ExchangeFacts, reply: Reply, asking: Asking) {
    this.client = facts.client;
    this.logLevel = facts.logLevel;
    this.progressToken = facts.progressToken;
    this.exclusive = asking.exclusive;
    this.reply = reply;
    this.#asking = asking;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get told(): Promise<void> | undefined {
    return this.#telling?.settled;
  }

  notify(notification: Notification): void {
    if (this.#cancelled || this.watch === undefined) return;
    this.#telling ??= new InOrder();
    this.#telling.push(this.watch.notification(notification), (one) => this.reply.message(one.write()));
  }

  annotate(headers: Readonly<Record<string, string>>): void {
    this.reply.annotate?.(headers);
  }

  suspend(): void {
    this.reply.disconnect?.();
  }

  async ask(request: Request, { own = false } = {}): Promise<Answer> {
    if (own) return this.#asking.ask(request, this);
    // Before anybody waits: when the answer comes, the exchange may be at another server.
    const { watch } = this;
    if (watch === undefined) throw new FaultError('denied', 'No request of a client is behind this one.');
    const { method, params } = request;
    await watch.request(method, params);
    return screenAnswer(watch, method, await this.#asking.ask(request, this));
  }

  answerInputs(inputRequests: JsonObject, { isNeeded = false } = {}): Promise<JsonObject | undefined> | undefined {
    const { watch } = this;
    if (watch === undefined) return undefined;
    return judgeRound(watch, inputRequests).then(async (declined) => {
      if (declined !== undefined) return declined;
      if (this.#asking.toQuestion === undefined && !isNeeded) return undefined;
      return screenAnswers(watch, inputRequests, await this.#askEach(inputRequests));
    });
  }

  /** Beside each other, so that a client hears of all of them at once. */
  async #askEach(inputRequests: JsonObject): Promise<JsonObject> {
    const pairs = Object.entries(inputRequests).map(async ([key, input]) => [key, await this.#askOne(input)] as const);
    return Object.fromEntries(await Promise.all(pairs));
  }

  async #askOne(input: Json | undefined): Promise<JsonObject> {
    const method = member(input, 'method');
    const params = member(input, 'params');
    if (typeof method !== 'string')
      throw new FaultError('upstream_protocol', 'The upstream asked for input without saying which.');
    const question = isObject(params) ? (this.#asking.toQuestion?.(params) ?? params) : undefined;
    const { outcome } = await this.#asking.ask(Request.of('0', method, question), this);
    if (outcome.kind === 'result') return outcome.result;
    const reason = outcome.error.message.slice(0, 200);
    throw new FaultError('cancelled', `The client did not answer ${method}: ${reason}`);
  }

  /** The client gave up. Idempotent. */
  cancel(reason: string): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.onCancel?.(reason);
  }
}
