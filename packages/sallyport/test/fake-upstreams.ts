import { toStarterSafety } from '../src/config/argument-safety-section.ts';
import type { ServerSettings, Snapshot } from '../src/config/settings.ts';
import { type Client, toDeclaration } from '../src/core/client.ts';
import { FaultError } from '../src/core/errors.ts';
import type { Exchange } from '../src/core/exchange.ts';
import type { JsonObject } from '../src/core/json.ts';
import { Answer, parseMessage } from '../src/core/message.ts';
import type { UpstreamEvent, UpstreamIdentity, UpstreamPort, UpstreamRequest } from '../src/core/upstream-port.ts';

/** A server made of text: what it answers is written by the test, byte by byte. */
export interface FakeServer {
  capabilities?: JsonObject;
  serverInfo?: JsonObject;
  instructions?: string;
  /** JSON text of the result, `{"code":…}` text of an error after `!`, or a wait for one. */
  answer?(method: string, params: JsonObject, client: Client): string | Promise<string>;
  /** Runs before the server says who it is; may throw or wait. */
  start?(client: Client): void | Promise<void>;
}

export class FakeUpstreams implements UpstreamPort {
  readonly servers: Map<string, FakeServer>;
  /** `server method` of every request, `server identify` of every start. */
  readonly asked: string[] = [];
  readonly exchanges: Exchange[] = [];
  readonly #listeners = new Set<(event: UpstreamEvent) => void>();

  constructor(servers: Record<string, FakeServer>) {
    this.servers = new Map(Object.entries(servers));
  }

  emit(event: UpstreamEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async identify(upstream: string, client: Client): Promise<UpstreamIdentity> {
    this.asked.push(`${upstream} identify`);
    const server = this.servers.get(upstream);
    if (server === undefined) throw new FaultError('unreachable', `${upstream} is not there`);
    await server.start?.(client);
    const { capabilities = { tools: {}, resources: {}, prompts: {} }, instructions } = server;
    return {
      serverInfo: server.serverInfo ?? { name: upstream, version: '1' },
      capabilities,
      instructions,
      revision: 'any',
    };
  }

  async send(upstream: string, { request }: UpstreamRequest, exchange: Exchange): Promise<Answer> {
    this.asked.push(`${upstream} ${request.method}`);
    this.exchanges.push(exchange);
    const text = await this.servers.get(upstream)?.answer?.(request.method, request.params, exchange.client);
    const body = text?.startsWith('!')
      ? `"error":${text.slice(1)}`
      : `"result":${text ?? '{"tools":[],"resources":[],"resourceTemplates":[],"prompts":[]}'}`;
    const message = parseMessage(Buffer.from(`{"jsonrpc":"2.0","id":1,${body}}`));
    if (!(message instanceof Answer)) throw new Error('not an answer');
    return message;
  }

  onEvent(listener: (event: UpstreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async notify(): Promise<void> {}
  subscribe = async (): Promise<Answer> => Answer.result('1', {});
  unsubscribe = async (): Promise<Answer> => Answer.result('1', {});
  setLogLevel = async (): Promise<Answer> => Answer.result('1', {});
  release(): void {}
  status(): undefined {}
  async restart(): Promise<void> {}
}

export function serverSettings(name: string, more: Partial<ServerSettings> = {}): ServerSettings {
  return {
    name,
    transport: { type: 'stdio', command: name, args: [], env: {}, cwd: undefined },
    prefix: undefined,
    era: 'auto',
    timeoutMs: 5000,
    maxTimeoutMs: 10_000,
    startTimeoutMs: 5000,
    concurrency: 8,
    sharing: 'shared',
    idleMs: 0,
    memoryMb: 0,
    breaker: { failures: 5, openMs: 1000 },
    listTtlMs: 60_000,
    disabledTools: [],
    ...more,
  };
}

export function snapshotOf(
  servers: readonly ServerSettings[],
  gateway: Partial<Snapshot['gateway']> = {},
  version = 1,
): Snapshot {
  return {
    version,
    file: undefined,
    stateDir: '/nowhere',
    set: 'laptop',
    argumentSafety: toStarterSafety('laptop'),
    servers: new Map(servers.map((server) => [server.name, server])),
    notes: [],
    gateway: {
      host: '127.0.0.1',
      port: 0,
      auth: 'none',
      allowedHosts: [],
      allowedOrigins: [],
      prefix: 'server',
      pageSize: 100,
      sessionIdleMs: 60_000,
      pollAfterMs: 0,
      limits: {
        bodyBytes: 1_000_000,
        depth: 64,
        headerCount: 100,
        headerBytes: 16_384,
        headerMs: 10_000,
        requestMs: 30_000,
        inFlight: 100,
        inFlightPerClient: 100,
        inFlightBytes: 1_000_000,
        sessions: 100,
      },
      ...gateway,
    },
  };
}

export function clientOf(capabilities: JsonObject = {}, principal = 'local'): Client {
  return {
    key: `${principal} ${JSON.stringify(capabilities)}`,
    principal: { id: principal, kind: 'key' },
    info: { name: 'test', version: '1' },
    ...toDeclaration('modern', capabilities),
  };
}
