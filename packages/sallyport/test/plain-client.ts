import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { atTheEnd } from './at-the-end.ts';
import { exchange, type HttpAnswer, messageIn } from './http-exchange.ts';
import type { RunningGateway } from './running-sallyport.ts';

/** The Mcp-Name header mirrors this member of params. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
};
export const MODERN = '2026-07-28';

/** Params of a modern request: what every one says about itself, and the rest. */
export function modernParams(params: Record<string, unknown> = {}, capabilities: Record<string, unknown> = {}) {
  const { _meta, ...rest } = params;
  return {
    ...rest,
    _meta: {
      ...(typeof _meta === 'object' ? _meta : {}),
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  };
}

/** The headers that mirror a modern request. */
export function modernHeaders(method: string, params: Record<string, unknown> = {}): Record<string, string> {
  const key = NAMED[method];
  const name = key === undefined ? undefined : params[key];
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': toHeader(name) } : {}),
  };
}

function toHeader(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** A client with no opinions: it sends what it is told and shows what came back. */
export class PlainClient {
  readonly gateway: RunningGateway;
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  session: Readonly<Record<string, string>> = {};
  #lastId = 0;

  constructor(gateway: RunningGateway, url = gateway.url) {
    this.gateway = gateway;
    this.url = url;
    atTheEnd(() => this.#agent.destroy());
  }

  post(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return exchange({ url: this.url, headers: { ...this.gateway.headers, ...headers }, body, agent: this.#agent });
  }

  /** Opens a legacy session; requests from now on are part of it. Comes again where a server has not answered yet. */
  async initialize(revision = '2025-11-25', capabilities: Record<string, unknown> = {}): Promise<this> {
    const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    let answer = await this.post(body);
    for (let times = 0; answer.status === 503 && times < 10; times++) {
      await setTimeout(Number(answer.headers['retry-after'] ?? 0) * 1_000);
      answer = await this.post(body);
    }
    const id = answer.headers['mcp-session-id'];
    if (typeof id !== 'string') throw new Error(`no session: ${answer.status} ${answer.body}`);
    this.session = { 'mcp-session-id': id, 'mcp-protocol-version': revision };
    await this.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', this.session);
    return this;
  }

  /** A request in the session, the whole HTTP answer. */
  ask(method: string, params: Record<string, unknown> = {}): Promise<HttpAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params });
    return this.post(body, this.session);
  }

  async request(method: string, params: Record<string, unknown> = {}) {
    return messageIn(await this.ask(method, params));
  }

  /** A modern request, the whole HTTP answer. */
  askModern(method: string, params: Record<string, unknown> = {}): Promise<HttpAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params: modernParams(params) });
    return this.post(body, modernHeaders(method, params));
  }

  async requestModern(method: string, params: Record<string, unknown> = {}) {
    return messageIn(await this.askModern(method, params));
  }

  call(name: string, given: Record<string, unknown> = {}) {
    return this.request('tools/call', { name, arguments: given });
  }

  callModern(name: string, given: Record<string, unknown> = {}) {
    return this.requestModern('tools/call', { name, arguments: given });
  }
}

/** The first text of a tool result. */
export function textOf(message: { readonly result?: Record<string, unknown> }): string | undefined {
  const content = message.result?.['content'];
  return Array.isArray(content) ? content[0]?.text : undefined;
}
