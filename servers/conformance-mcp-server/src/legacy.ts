import {
  type Ask,
  createCall,
  findMissingCapabilities,
  type InputRequest,
  isLogLevel,
  type LogLevel,
  type Reply,
} from './call.ts';
import { toMissingCapability } from './input.ts';
import {
  codes,
  type Fields,
  isRequest,
  type Message,
  type Request,
  type RequestId,
  RpcError,
  readText,
  toErrorMessage,
  toFields,
} from './messages.ts';
import { sharedMethods, toMethodNotFound } from './methods.ts';
import { type Change, instructions, serverInfo, type World } from './world.ts';

export const legacyRevisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const latestLegacy = '2025-11-25';
const answerWithinMs = 60_000;

export function isLegacyRevision(value: unknown): boolean {
  return legacyRevisions.some((revision) => revision === value);
}

interface Waiting {
  readonly resolve: (result: Fields) => void;
  readonly reject: (error: Error) => void;
}

/** One client of the legacy era, from initialize to its end, over any transport. */
export class LegacySession {
  revision: string;
  readonly #world: World;
  readonly #tell: (message: Message) => void;
  readonly #running = new Map<RequestId, () => void>();
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #subscribed = new Set<string>();
  readonly #stopListening: () => void;
  /** On stdio a modern client may be there instead, and must not hear what it did not subscribe to. */
  #initialized = false;
  #capabilities: Fields = {};
  #logLevel: LogLevel = 'debug';
  #lastAsked = 0;

  /** `tell` sends what belongs to no request. */
  constructor(world: World, tell: (message: Message) => void, revision: string = latestLegacy) {
    this.#world = world;
    this.#tell = tell;
    this.revision = revision;
    this.#stopListening = world.listen((change) => this.#onChange(change));
  }

  /** Serves one request and answers on `reply`; `stop` cancels it when the client says so. */
  async serve(request: Request, reply: Reply, stop: () => void): Promise<void> {
    this.#running.set(request.id, stop);
    try {
      const result = await this.#answer(request, reply);
      if (!reply.signal.aborted) reply.end({ jsonrpc: '2.0', id: request.id, result });
    } catch (error) {
      if (!reply.signal.aborted) reply.end(toErrorMessage(error, request.id));
    } finally {
      this.#running.delete(request.id);
    }
  }

  /** Takes a notification, or the client's response to something we asked. */
  accept(message: Message): void {
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.();
      return;
    }
    if (message.method !== undefined || message.id === undefined || isRequest(message)) return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error !== undefined) waiting?.reject(new Error(`the client refused: ${message.error.message}`));
    else waiting?.resolve(toFields(message.result));
  }

  close(): void {
    this.#stopListening();
    for (const stop of this.#running.values()) stop();
    for (const waiting of this.#waiting.values()) waiting.reject(new Error('session closed'));
    this.#waiting.clear();
  }

  async #answer(request: Request, reply: Reply): Promise<Fields> {
    const own = this.#answerOwn(request);
    if (own !== undefined) return own;
    const method = sharedMethods.get(request.method);
    if (method === undefined) throw toMethodNotFound(request.method);
    const call = createCall(request, reply, {
      era: 'legacy',
      revision: this.revision,
      capabilities: this.#capabilities,
      ask: this.#createAsk(reply),
      logLevel: () => this.#logLevel,
    });
    return method(call, this.#world);
  }

  #answerOwn(request: Request): Fields | undefined {
    const params = request.params ?? {};
    switch (request.method) {
      case 'initialize':
        return this.#initialize(params);
      case 'ping':
        return {};
      case 'logging/setLevel':
        if (!isLogLevel(params.level)) throw new RpcError(codes.invalidParams, 'unknown log level');
        this.#logLevel = params.level;
        return {};
      case 'resources/subscribe':
        if (this.#subscribed.size >= 1_000) throw new RpcError(codes.internal, 'too many subscriptions');
        this.#subscribed.add(readText(params, 'uri'));
        return {};
      case 'resources/unsubscribe':
        this.#subscribed.delete(readText(params, 'uri'));
        return {};
      default:
        return undefined;
    }
  }

  #initialize(params: Fields): Fields {
    const asked = readText(params, 'protocolVersion');
    this.revision = isLegacyRevision(asked) ? asked : latestLegacy;
    this.#capabilities = toFields(params.capabilities);
    this.#initialized = true;
    return {
      protocolVersion: this.revision,
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      serverInfo,
      instructions,
    };
  }

  #createAsk(reply: Reply): Ask {
    return async (requests) => {
      const missing = findMissingCapabilities(this.#capabilities, Object.values(requests));
      if (missing !== undefined) throw toMissingCapability(missing);
      const answers = Object.entries(requests).map(
        async ([key, request]) => [key, await this.#ask(request, reply)] as const,
      );
      return Object.fromEntries(await Promise.all(answers));
    };
  }

  #ask(request: InputRequest, reply: Reply): Promise<Fields> {
    this.#lastAsked += 1;
    const id = `ask-${this.#lastAsked}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the client did not answer ${request.method}`)), answerWithinMs);
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        then();
      };
      this.#waiting.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      });
      reply.signal.addEventListener('abort', () => settle(() => reject(new Error('cancelled'))), { once: true });
      reply.send({ jsonrpc: '2.0', id, ...request });
    });
  }

  #onChange(change: Change): void {
    if (change.kind === 'task' || !this.#initialized) return;
    if (change.kind !== 'resource') {
      this.#tell({ jsonrpc: '2.0', method: `notifications/${change.kind}/list_changed` });
    } else if (this.#subscribed.has(change.uri)) {
      this.#tell({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.uri } });
    }
  }
}
