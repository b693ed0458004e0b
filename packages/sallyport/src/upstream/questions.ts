import { toFault } from '../core/errors.ts';
import { type JsonObject, member } from '../core/json.ts';
import { Answer, type Request } from '../core/message.ts';
import { toText } from '../core/response.ts';
import type { Pending } from './pending.ts';

export interface QuestionsOptions {
  /** Sends an answer to the upstream, as a binary string. */
  readonly reply: (text: string) => void;
  /** How long a question may wait for a client's request to be asked through. */
  readonly patienceMs: number;
}

const MAX_WAITING = 16;
/** Per connection: a server that asks without end must not fill the memory. */
const MAX_OPEN = 256;

interface Waiting {
  readonly request: Request;
  readonly timer: NodeJS.Timeout;
}

/** What a legacy server asks (sampling, elicitation, roots), each put to the client of one request in flight. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size + this.#waiting.length;
  }

  /**
   * Asks the client of `pending`; the client's answer goes back byte for byte under the server's own id. `stray`: the
   * question belongs to no request, and waits for the next one when this one ends before anybody could be asked.
   */
  ask(request: Request, pending: Pending, { stray = false } = {}): void {
    const { exchange } = pending;
    if (exchange === undefined) {
      this.refuse(request, -32603, 'No client is behind this request.');
      return;
    }
    if (this.#open.size >= MAX_OPEN) {
      this.refuse(request, -32603, `More than ${MAX_OPEN} questions are open.`);
      return;
    }
    const id = request.id;
    this.#open.add(id);
    pending.questions++;
    void exchange
      .ask(request)
      .then(
        (answer) => toText(answer.write(id)),
        (error: unknown) => {
          const fault = toFault(error);
          if (stray && fault.code === 'cancelled' && !exchange.cancelled && this.#open.delete(id)) this.wait(request);
          return Answer.error(id, fault.failure.rpc, fault.message, fault.data).bytes.toString('latin1');
        },
      )
      .then((text) => {
        pending.questions--;
        // The answer lets the server go on: its time starts anew.
        pending.touch();
        if (this.#open.delete(id)) this.#options.reply(text);
      });
  }

  /** No request is in flight yet (`roots/list` right after the handshake): the next one carries it. */
  wait(request: Request): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.refuse(request, -32603, 'Too many questions wait for a request of a client.');
      return;
    }
    const timer = setTimeout(() => {
      const at = this.#waiting.findIndex((waiting) => waiting.request === request);
      if (at >= 0) this.#waiting.splice(at, 1);
      this.refuse(request, -32603, 'No request of a client is in flight, so nobody can be asked.');
    }, this.#options.patienceMs);
    timer.unref();
    this.#waiting.push({ request, timer });
  }

  /** A request of a client is in flight now. */
  release(pending: Pending): void {
    for (const { request, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      this.ask(request, pending, { stray: true });
    }
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  refuse(request: Request, code: number, reason: string): void {
    // The words every SDK has for -32601: servers look for them.
    const message = code === -32601 ? `Method not found: ${request.method}. ${reason}` : reason;
    this.#options.reply(Answer.error(request.id, code, message).bytes.toString('latin1'));
  }

  /** The server takes a question back; whatever the client says then is dropped. */
  cancelled(id: string): void {
    this.#open.delete(id);
    const at = this.#waiting.findIndex((waiting) => waiting.request.id === id);
    if (at >= 0) for (const { timer } of this.#waiting.splice(at, 1)) clearTimeout(timer);
  }

  close(): void {
    for (const { timer } of this.#waiting.splice(0)) clearTimeout(timer);
    this.#open.clear();
  }
}

/** The client capability without which a question may not be asked. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['roots/list', 'roots'],
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
]);

/** The capability this question needs and the client did not declare. */
export function missingCapability(method: string, capabilities: JsonObject): string | undefined {
  const needed = NEEDED.get(method);
  return needed === undefined || member(capabilities, needed) !== undefined ? undefined : needed;
}

/** Requests that may be interrupted by a question; others in flight are asked through only when there is none of these. */
const INTERRUPTIBLE: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The request through which a question is asked that does not say whose it is: the oldest one that is not asked already. */
export function whomToAsk(requests: Iterable<Pending>): Pending | 'nobody' | 'several' {
  const asked = [...requests].filter(({ exchange }) => exchange !== undefined && exchange.unattended !== true);
  if (new Set(asked.map((pending) => pending.exchange?.client.key)).size > 1) return 'several';
  const free = asked.filter((pending) => pending.questions === 0);
  const order = [...free, ...asked];
  return order.find((pending) => INTERRUPTIBLE.has(pending.method)) ?? order[0] ?? 'nobody';
}
