import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { objectMembers } from '../core/json-scan.ts';
import { Answer, type Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import type { Caching, Response, Written } from '../core/response.ts';
import type { ModernFacts } from './modern-request.ts';
import { inputResponses, newParkId, type Parking, toAnswer } from './parking.ts';
import type { GatewayPorts } from './ports.ts';
import type { Reply } from './reply.ts';
import { type Asking, RequestExchange } from './request-exchange.ts';
import { toErrorText } from './to-response.ts';
import { sealUpstreamState } from './upstream-state.ts';

interface OpenQuestion {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: FaultError) => void;
}

/** What can be done from outside to a request in flight. */
export interface Cancellable {
  /** The connection `reply` belongs to is gone, or the client said so. */
  onReplyClosed(reply: Reply): void;
}

/** An answer that is there, to be written under the id of whoever comes for it. */
interface Settled {
  readonly write: (id: string) => Written;
  readonly status: number;
}

const NOT_CACHED: Caching = Object.freeze({ ttlMs: 0, cacheScope: 'private' });

/** Capability a client declares for each question a server may ask. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/**
 * One request of a modern client while it is worked on. It usually lives as long as its HTTP exchange; when a legacy
 * upstream asks something, the exchange ends with `input_required` and the call waits for the retry that answers.
 */
export class ModernCall implements Asking, Cancellable {
  readonly exclusive = true;
  readonly exchange: RequestExchange;
  #parkId: string | undefined;
  readonly #request: Request;
  readonly #principal: Principal;
  readonly #parking: Parking<ModernCall>;
  readonly #ports: Pick<GatewayPorts, 'seal' | 'clock'>;
  #reply: Reply | undefined;
  #id: string;
  #questions: Map<string, OpenQuestion> | undefined;
  #lastQuestion = 0;
  #flushing = false;
  #settled: Settled | undefined;

  constructor(
    request: Request,
    facts: ModernFacts,
    context: {
      reply: Reply;
      principal: Principal;
      parking: Parking<ModernCall>;
      ports: Pick<GatewayPorts, 'seal' | 'clock'>;
    },
  ) {
    this.#request = request;
    this.#principal = context.principal;
    this.#parking = context.parking;
    this.#ports = context.ports;
    this.#reply = context.reply;
    this.#id = request.id;
    this.exchange = new RequestExchange(facts, context.reply, this);
  }

  get parkId(): string {
    this.#parkId ??= newParkId();
    return this.#parkId;
  }

  /** True while a client's connection waits for this call. */
  get attached(): boolean {
    return this.#reply !== undefined;
  }

  /** The work is done: answers the connection that waits, or keeps the answer for the retry. */
  settle(response: Response): void {
    const isRead = this.#request.method === 'resources/read';
    const stated = sealUpstreamState(response, this.#request, this.#principal, this.#ports);
    const modern = isRead ? toModernReadError(stated) : stated;
    const head = toHead(modern, isRead ? NOT_CACHED : modern.caching);
    this.#finish((id) => modern.write(id, head), toModernStatus(modern.errorCode));
  }

  fail(error: unknown): void {
    this.#finish((id) => toErrorText(id, error), faultStatus(error));
  }

  /** The client closed its connection: that is how it cancels (2026-07-28 cancellation). A parked call has none and lives on. */
  onReplyClosed(reply: Reply): void {
    if (this.#reply === reply) this.exchange.cancel('the client closed the connection');
  }

  /** A retry takes over; its responses answer the open questions, what is missing is asked again. */
  resume(retry: Request, reply: Reply): void {
    this.#reply = reply;
    this.#id = retry.id;
    this.exchange.reply = reply;
    const responses = inputResponses(retry);
    for (const [key, question] of this.#questions ?? []) {
      const response = member(responses, key);
      if (!isObject(response)) continue;
      this.#questions?.delete(key);
      question.resolve(toAnswer(response));
    }
    if (this.#settled !== undefined) this.#finish(this.#settled.write, this.#settled.status);
    else if ((this.#questions?.size ?? 0) > 0) this.#flushSoon();
  }

  /** Nobody came back in time: the upstream's question fails, and with it the call. */
  expire(): void {
    for (const question of this.#questions?.values() ?? []) {
      question.reject(new FaultError('cancelled', 'The client did not come back with an answer.'));
    }
    this.#questions?.clear();
    this.exchange.cancel('the client did not come back');
  }

  /** Puts an upstream's question to the client, whose retry brings the answer. */
  ask(question: Request): Promise<Answer> {
    const needed = NEEDED.get(question.method);
    if (needed === undefined || !isObject(member(this.exchange.client.capabilities, needed))) {
      return Promise.reject(
        new FaultError(
          'missing_capability',
          `The client cannot be asked: it declared no support for ${question.method}.`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.#questions ??= new Map();
      this.#questions.set(`q${++this.#lastQuestion}`, { request: question, resolve, reject });
      this.#flushSoon();
    });
  }

  /** Questions asked in the same turn go out together. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const reply = this.#reply;
    if (reply === undefined || this.#questions === undefined || this.#questions.size === 0) return;
    const inputRequests: Record<string, JsonObject> = {};
    for (const [key, { request }] of this.#questions)
      inputRequests[key] = { method: request.method, params: withoutToken(request.params) };
    try {
      const requestState = this.#parking.park(this, this.#request, this.#principal);
      const answer = Answer.result(this.#id, { resultType: 'input_required', inputRequests, requestState });
      this.#reply = undefined;
      reply.answer(answer.write(this.#id), 200);
    } catch (error) {
      for (const question of this.#questions.values())
        question.reject(new FaultError('overloaded', 'The question could not be put to the client.', { cause: error }));
      this.#questions.clear();
    }
  }

  #finish(write: Settled['write'], status: number): void {
    const reply = this.#reply;
    if (reply === undefined) {
      // The client has the questions: its retry brings their answers, and takes this one.
      this.#settled = { write, status };
      return;
    }
    for (const question of this.#questions?.values() ?? [])
      question.reject(new FaultError('cancelled', 'The call has ended.'));
    this.#questions?.clear();
    this.#reply = undefined;
    if (this.#parkId !== undefined) this.#parking.release(this);
    reply.answer(write(this.#id), status);
  }
}

function withoutToken(params: JsonObject): JsonObject {
  const meta = member(params, '_meta');
  if (!isObject(meta)) return params;
  const { progressToken, ...rest } = meta;
  const { _meta, ...others } = params;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
}

/** Resource not found has a code of its own in legacy revisions only (2026-07-28 resources#error-handling, SEP-2164). */
function toModernReadError(response: Response): Response {
  if (!(response instanceof Answer) || response.errorCode !== -32002) return response;
  const code = objectMembers(response.bytes, response.bodySpan.start).find((one) => one.key === 'code');
  return code === undefined ? response : response.edit([{ ...code, text: '-32602' }]);
}

const COMPLETE = '"resultType":"complete"';

/** What a modern result must say and a legacy upstream did not: its type, and for cacheable ones how long it is true. */
function toHead(response: Response, caching: Caching | undefined): string {
  let head = response.hasMember('resultType') ? '' : COMPLETE;
  if (caching === undefined || (response instanceof Answer && response.resultMember('resultType') === 'input_required'))
    return head;
  const comma = () => (head === '' ? '' : ',');
  if (!response.hasMember('ttlMs')) head += `${comma()}"ttlMs":${caching.ttlMs}`;
  if (!response.hasMember('cacheScope')) head += `${comma()}"cacheScope":"${caching.cacheScope}"`;
  return head;
}

/** HTTP status of a modern JSON-RPC error (2026-07-28 basic#error-codes, streamable-http#protocol-version-header). */
function toModernStatus(code: number | undefined): number {
  if (code === undefined) return 200;
  if (code === -32601) return 404;
  return code === -32020 || code === -32021 || code === -32022 ? 400 : 200;
}

/** Malformed `_meta` is a bad request on HTTP (2026-07-28 basic#meta); other faults keep their own status. */
export function faultStatus(error: unknown): number {
  if (!(error instanceof FaultError)) return 200;
  switch (error.code) {
    case 'usage':
    case 'parse':
    case 'invalid_request':
    case 'too_large':
    case 'too_many':
    case 'overloaded':
    case 'not_ready':
    case 'draining':
      return error.failure.http;
    default:
      return toModernStatus(error.failure.rpc);
  }
}
