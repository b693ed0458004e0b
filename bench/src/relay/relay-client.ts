import type { Target } from '../load/connection.ts';
import type { Era } from '../load/messages.ts';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const CLIENT_INFO = { name: 'bench-relay', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** No figure allows an answer that takes this long. Milliseconds. */
const DEADLINE_MS = 60_000;

/** The result, or the error as a text. */
export type Outcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: string };

/** A client of Streamable HTTP in either era, at any path of the gateway. */
export class RelayClient {
  readonly #url: string;
  readonly #era: Era;
  readonly #headers: Readonly<Record<string, string>>;
  #session: Readonly<Record<string, string>> = {};
  #lastId = 0;

  constructor({ port, path, headers }: Target, era: Era, ownPath = path) {
    this.#url = `http://127.0.0.1:${port}${ownPath}`;
    this.#era = era;
    this.#headers = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  }

  /** `initialize`, or `server/discover`. @throws Error when it is refused */
  async open(): Promise<this> {
    if (this.#era === 'modern') {
      const outcome = await this.ask('server/discover');
      if ('error' in outcome) throw new Error(outcome.error);
      return this;
    }
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT_INFO };
    const response = await this.#post({ id: 0, method: 'initialize', params }, {});
    const session = response.headers.get('mcp-session-id');
    const body = await response.text();
    if (session === null) throw new Error(`${response.status} ${body.slice(0, 200)}`);
    this.#session = { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY };
    await (await this.#post({ method: 'notifications/initialized' }, this.#session)).text();
    return this;
  }

  async ask(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Outcome> {
    const response = await this.#request(method, params, AbortSignal.timeout(DEADLINE_MS));
    const text = await response.text();
    const data = text.startsWith('{') ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? '{}');
    const { result } = JSON.parse(data) as { readonly result?: Readonly<Record<string, unknown>> };
    return result === undefined ? { error: `${response.status} ${text.slice(0, 300)}` } : { result };
  }

  /** Names of all pages. @throws Error when the list is refused */
  async list(): Promise<readonly string[]> {
    const names: string[] = [];
    for (let cursor: unknown; ; ) {
      const outcome = await this.ask('tools/list', cursor === undefined ? {} : { cursor });
      if ('error' in outcome) throw new Error(outcome.error);
      const { tools, nextCursor } = outcome.result as { tools: { name: string }[]; nextCursor?: string };
      names.push(...tools.map(({ name }) => name));
      if (nextCursor === undefined) return names;
      cursor = nextCursor;
    }
  }

  /** Calls `changed` for each announced change of the tools, until the signal aborts. */
  async follow(signal: AbortSignal, changed: () => void): Promise<void> {
    const { 'content-type': _, ...headers } = this.#headers;
    const listen = { notifications: { toolsListChanged: true } };
    const stream =
      this.#era === 'modern'
        ? await this.#request('subscriptions/listen', listen, signal)
        : await fetch(this.#url, {
            headers: { ...headers, accept: 'text/event-stream', ...this.#session },
            signal,
          });
    const read = async (): Promise<void> => {
      for await (const chunk of stream.body ?? [])
        if (Buffer.from(chunk).includes('notifications/tools/list_changed')) changed();
    };
    // Ends with an error when the signal aborts it: that is how it ends.
    void read().catch(() => {});
  }

  #request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Response> {
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#era === 'legacy') return this.#post({ id, method, params }, this.#session, signal);
    const named = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    const mirror = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named };
    return this.#post({ id, method, params: { ...params, _meta: META } }, mirror, signal);
  }

  #post(
    message: object,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal = AbortSignal.timeout(DEADLINE_MS),
  ): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return fetch(this.#url, { method: 'POST', headers: { ...this.#headers, ...headers }, body, signal });
  }
}
