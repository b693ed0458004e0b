import type { ServerSettings } from '../src/config/settings.ts';
import { type Client, type Era, toDeclaration } from '../src/core/client.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Exchange } from '../src/core/exchange.ts';
import type { JsonObject } from '../src/core/json.ts';
import type { Log } from '../src/core/log.ts';
import { Answer, type Notification, Request } from '../src/core/message.ts';
import { ANYONE } from '../src/core/principal.ts';
import type { UpstreamEvent, UpstreamRequest } from '../src/core/upstream-port.ts';
import { createEraMemory, type EraStore } from '../src/upstream/era-store.ts';
import { createUpstreams, type Upstreams } from '../src/upstream/upstreams.ts';

const SETTINGS: Omit<ServerSettings, 'name' | 'transport'> = {
  prefix: undefined,
  era: 'auto',
  timeoutMs: 5000,
  maxTimeoutMs: 15_000,
  startTimeoutMs: 5000,
  concurrency: 16,
  sharing: 'shared',
  idleMs: 0,
  memoryMb: 0,
  breaker: { failures: 3, openMs: 60_000 },
  listTtlMs: 60_000,
};

export function httpSettings(url: string, own: Partial<ServerSettings> = {}, type: 'http' | 'sse' | 'auto' = 'http') {
  return { ...SETTINGS, name: 'subject', transport: { type, url, headers: {} }, ...own } satisfies ServerSettings;
}

export function childSettings(args: readonly string[], own: Partial<ServerSettings> = {}): ServerSettings {
  const transport = { type: 'stdio', command: process.execPath, args, env: {}, cwd: undefined } as const;
  return { ...SETTINGS, name: 'subject', transport, ...own };
}

export interface Opened extends Upstreams {
  readonly events: UpstreamEvent[];
  readonly logged: { readonly level: string; readonly message: string }[];
  /** Resolves with the first event, past or to come, that `wanted` picks. */
  event<K extends UpstreamEvent['kind']>(
    kind: K,
    wanted?: (event: Extract<UpstreamEvent, { kind: K }>) => boolean,
  ): Promise<Extract<UpstreamEvent, { kind: K }>>;
}

/** Real upstreams for the settings, with what they tell kept. */
export function openUpstreams(
  settings: ServerSettings | readonly ServerSettings[],
  eras: EraStore = createEraMemory(),
): Opened {
  const list = Array.isArray(settings) ? (settings as readonly ServerSettings[]) : [settings as ServerSettings];
  const servers = new Map(list.map((each) => [each.name, each]));
  const logged: { level: string; message: string }[] = [];
  const note = (level: string) => (_fields: unknown, message: string) => void logged.push({ level, message });
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const upstreams = createUpstreams({
    servers: () => servers,
    eras,
    log,
    clock: systemClock,
    identity: { name: 'sallyport', version: '0' },
  });
  const events: UpstreamEvent[] = [];
  const waiting = new Set<() => void>();
  upstreams.onEvent((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  return {
    ...upstreams,
    events,
    logged,
    event: (kind, wanted = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          for (const event of events) {
            if (event.kind !== kind || !wanted(event as never)) continue;
            waiting.delete(look);
            resolve(event as never);
            return;
          }
        };
        waiting.add(look);
        look();
      }),
  };
}

export function createClient(key = 'client', capabilities: JsonObject = {}, era: Era = 'modern'): Client {
  return {
    key,
    principal: ANYONE,
    info: { name: 'tester', version: '1' },
    ...toDeclaration(era, capabilities),
  };
}

/** A client's request in flight, with what came back on it kept. */
export class TestExchange implements Exchange {
  readonly client: Client;
  readonly logLevel: string | undefined;
  readonly progressToken: string | undefined;
  readonly exclusive: boolean;
  onCancel: ((reason: string) => void) | undefined;
  cancelled = false;
  readonly notified: Notification[] = [];
  readonly asked: Request[] = [];
  answer: (request: Request) => Promise<Answer> | Answer;
  inputs: ((inputRequests: JsonObject) => JsonObject | undefined) | undefined;

  constructor(
    own: {
      readonly client?: Client;
      readonly logLevel?: string;
      readonly progressToken?: string;
      readonly exclusive?: boolean;
      readonly answer?: (request: Request) => Promise<Answer> | Answer;
      readonly inputs?: (inputRequests: JsonObject) => JsonObject | undefined;
    } = {},
  ) {
    this.client = own.client ?? createClient();
    this.logLevel = own.logLevel;
    this.progressToken = own.progressToken;
    this.exclusive = own.exclusive ?? false;
    this.answer = own.answer ?? (() => Answer.result('"client"', { roots: [] }));
    this.inputs = own.inputs;
  }

  notify(notification: Notification): void {
    this.notified.push(notification);
  }

  async ask(request: Request): Promise<Answer> {
    this.asked.push(request);
    return this.answer(request);
  }

  answerInputs(inputRequests: JsonObject): Promise<JsonObject> | undefined {
    const responses = this.inputs?.(inputRequests);
    return responses === undefined ? undefined : Promise.resolve(responses);
  }

  cancel(reason = 'the person pressed stop'): void {
    this.cancelled = true;
    this.onCancel?.(reason);
  }
}

/** What a client declares that can be asked anything. */
export const CAPABLE: JsonObject = { roots: {}, sampling: {}, elicitation: {} };

/** A request of such a client. */
export function capable(own: ConstructorParameters<typeof TestExchange>[0] = {}): TestExchange {
  return new TestExchange({ client: createClient('c', CAPABLE), ...own });
}

export function toRequest(method: string, params?: JsonObject, id = '"client-1"'): UpstreamRequest {
  return { request: Request.of(id, method, params), edits: [], target: undefined, paramHeaders: undefined };
}

export function toCall(name: string, args: JsonObject = {}): UpstreamRequest {
  return toRequest('tools/call', { name, arguments: args });
}
