import type { Client } from '../core/client.ts';
import type { Exchange, Vet, VetAnswer } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Answer, Notification, Request } from '../core/message.ts';
import type { Reply } from './reply.ts';
import { mayTell, screenAnswer, screenAnswers, screenQuestion, screenRound } from './screen-questions.ts';

/** How questions reach the client behind an exchange; the one thing in which eras differ here. */
export interface Asking {
  /** Stateless clients: nothing but the connection tells whose question it is, so an upstream connection serves one call at a time. */
  readonly exclusive: boolean;
  ask(request: Request, exchange: RequestExchange): Promise<Answer>;
  answerInputs?(inputRequests: JsonObject, exchange: RequestExchange): Promise<JsonObject>;
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
  vet: Vet | undefined;
  vetAnswer: VetAnswer | undefined;
  tell: ((notification: Notification) => Notification | undefined) | undefined;
  heed: ((notification: Notification) => Notification | undefined) | undefined;
  /** Where messages go now: a parked call gets a new one with each retry. */
  reply: Reply;
  readonly #asking: Asking;
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

  notify(notification: Notification): void {
    if (this.#cancelled || !mayTell(notification)) return;
    const told = this.tell === undefined ? notification : this.tell(notification);
    const heard = told === undefined || this.heed === undefined ? told : this.heed(told);
    if (heard !== undefined) this.reply.message(heard.write());
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
    const { vetAnswer } = this;
    const { method, params } = request;
    screenQuestion(method, params);
    await this.vet?.(method, params);
    const answer = await this.#asking.ask(request, this);
    return vetAnswer === undefined ? answer : screenAnswer(vetAnswer, method, answer);
  }

  answerInputs(inputRequests: JsonObject): Promise<JsonObject | undefined> | undefined {
    try {
      const declined = screenRound(inputRequests);
      if (declined !== undefined) return Promise.resolve(declined);
    } catch (error) {
      return Promise.reject(error);
    }
    const { vet, vetAnswer } = this;
    const answering =
      vet === undefined ? this.#asking.answerInputs?.(inputRequests, this) : this.#vetRound(inputRequests, vet);
    if (answering === undefined || vetAnswer === undefined) return answering;
    return answering.then((answers) => answers && screenAnswers(vetAnswer, inputRequests, answers));
  }

  /** One after the other: a person is asked about the next question only when the one before may be put. */
  async #vetRound(inputRequests: JsonObject, vet: Vet): Promise<JsonObject | undefined> {
    for (const asked of Object.values(inputRequests)) {
      const params = member(asked, 'params');
      await vet(String(member(asked, 'method')), isObject(params) ? params : {});
    }
    return this.#asking.answerInputs?.(inputRequests, this);
  }

  /** The client gave up. Idempotent. */
  cancel(reason: string): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.onCancel?.(reason);
  }
}
