import { type Fields, isModern, type Revision, toCapabilities } from './cells.ts';

/** One parsed message of the wire. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Heard {
  readonly message: Message;
  readonly text: string;
  /** Which of our sends this came back on; `undefined` where one channel carries everything, or nothing was asked. */
  readonly via: number | undefined;
}

export interface Answer {
  readonly text: string;
  /** The id as it was written. */
  readonly id: string;
  readonly result: Fields | undefined;
  readonly error: Message['error'];
  /** HTTP status of the exchange that carried it. */
  readonly status: number | undefined;
  /** What was heard between the request and this answer. */
  readonly before: readonly Heard[];
}

/** What a transport needs to know besides the text, because some of it becomes headers. */
export interface Outgoing {
  readonly text: string;
  readonly via: number;
  readonly method: string | undefined;
  readonly params: Fields;
  /** Further headers, where the transport has any. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Transport {
  /** Resolves when the message is on its way; what comes back for it goes to `hear`. */
  send(message: Outgoing): Promise<void>;
  /** A legacy handshake is done: from here on the session is known, and a standing stream is open when it resolves. */
  established?(revision: Revision): Promise<void>;
  /** Gives up one exchange without a word; only where that means something. */
  drop?(via: number): void;
  close(): Promise<void>;
}

export type Hear = (text: string, via: number | undefined, status?: number) => void;

export interface Call {
  readonly id: string;
  readonly answer: Promise<Answer>;
  cancel(): Promise<void>;
}

export interface CallOptions {
  /** The id as JSON text. */
  readonly id?: string;
  readonly meta?: Fields;
  /** `Mcp-Param-*` headers of a modern HTTP client. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Respond = (params: Fields) => Fields;

export interface ClientOptions {
  /** Another name makes another client to servers that go by it. */
  readonly name?: string;
  readonly capabilities?: Fields;
  /** Results by method, from the first moment on. */
  readonly responds?: Readonly<Record<string, Respond>>;
}

/** A deadline and no assertion on speed: a loaded machine may take long, a broken program takes for ever. */
const patienceMs = 90_000;
const metaPrefix = 'io.modelcontextprotocol/';

/** A client of any revision that keeps every byte it hears, so that tests can look at facts of the wire. */
export class RawClient {
  readonly revision: Revision;
  readonly modern: boolean;
  readonly heard: Heard[] = [];
  /** Questions that were put to this client, in order. */
  readonly asked: { readonly method: string; readonly params: Fields }[] = [];
  /** Results by method; what stands here is what this client can be asked. */
  readonly responds = new Map<string, Respond>();
  readonly capabilities: Fields;
  readonly info: Fields;
  initialized: Fields = {};
  readonly #transport: Transport;
  readonly #waiting = new Map<string, { from: number; resolve: (answer: Answer) => void }>();
  readonly #watchers = new Set<() => void>();
  #lastVia = 0;
  #lastId = 0;

  private constructor(revision: Revision, open: (hear: Hear) => Transport, options: ClientOptions) {
    this.revision = revision;
    this.modern = isModern(revision);
    this.capabilities = options.capabilities ?? toCapabilities(revision);
    this.info = { name: options.name ?? 'matrix', version: '1.0.0' };
    for (const [method, respond] of Object.entries(options.responds ?? {})) this.responds.set(method, respond);
    this.#transport = open((text, via, status) => this.#hear(text, via, status));
  }

  /** Connects, with the handshake of a legacy revision. */
  static async connect(
    revision: Revision,
    open: (hear: Hear) => Transport,
    options: ClientOptions = {},
  ): Promise<RawClient> {
    const client = new RawClient(revision, open, options);
    if (client.modern) return client;
    const params = { protocolVersion: revision, capabilities: client.capabilities, clientInfo: client.info };
    const { result, text } = await client.request('initialize', params).answer;
    if (result?.['protocolVersion'] !== revision) throw new Error(`not negotiated: ${text}`);
    client.initialized = result;
    await client.#transport.established?.(revision);
    await client.notify('notifications/initialized');
    return client;
  }

  request(
    method: string,
    params: Fields = {},
    { id = String(++this.#lastId), meta, headers = {} }: CallOptions = {},
  ): Call {
    const via = ++this.#lastVia;
    const full = this.#withMeta(params, meta);
    const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(full)}}`;
    const answer = new Promise<Answer>((resolve) => {
      this.#waiting.set(id, { from: this.heard.length, resolve });
    });
    const sent = this.#transport.send({ text, via, method, params: full, headers });
    const settled = within(
      sent.then(() => answer),
      () => `no answer to ${method}`,
    );
    // Whoever cancels need not look at what becomes of the answer.
    settled.catch(() => {});
    return {
      id,
      answer: settled,
      cancel: async () => {
        if (this.modern && this.#transport.drop !== undefined) this.#transport.drop(via);
        else await this.#send(`{"requestId":${id},"reason":"changed my mind"}`, 'notifications/cancelled');
      },
    };
  }

  /** A request with all its rounds: questions that come as `input_required` are answered by retries. */
  async call(method: string, params: Fields = {}, options: CallOptions = {}): Promise<Answer> {
    let answer = await this.request(method, params, options).answer;
    for (let round = 0; answer.result?.['resultType'] === 'input_required'; round++) {
      if (!this.modern || round > 8) throw new Error(`unexpected input_required: ${answer.text}`);
      const retry = { ...params, ...this.respondAll(answer.result) };
      answer = await this.request(method, retry, options.meta === undefined ? {} : { meta: options.meta }).answer;
    }
    return answer;
  }

  /** The params by which a retry answers an `input_required` result. */
  respondAll(result: Fields): Fields {
    const requests = Object.entries((result['inputRequests'] ?? {}) as Record<string, Message>);
    const inputResponses = Object.fromEntries(
      requests.map(([key, { method = '', params }]) => [key, this.#respond(method, params ?? {})]),
    );
    const state = result['requestState'];
    return { inputResponses, ...(state === undefined ? {} : { requestState: state }) };
  }

  async notify(method: string, params?: Fields): Promise<void> {
    await this.#send(params === undefined ? undefined : JSON.stringify(params), method);
  }

  /** The first message from `from` on that fits, past or to come. */
  async waitFor(what: string, fits: (heard: Heard) => boolean, from = 0): Promise<Heard> {
    let found = this.heard.slice(from).find(fits);
    if (found !== undefined) return found;
    let stop = () => {};
    const coming = new Promise<Heard>((resolve) => {
      const watcher = () => {
        found = this.heard.slice(from).find(fits);
        if (found !== undefined) resolve(found);
      };
      this.#watchers.add(watcher);
      stop = () => this.#watchers.delete(watcher);
    });
    return within(coming, () => `never heard ${what}, but ${JSON.stringify(this.heard.slice(from))}`).finally(stop);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #withMeta(params: Fields, meta: Fields | undefined): Fields {
    if (!this.modern) return meta === undefined ? params : { ...params, _meta: meta };
    const own = {
      [`${metaPrefix}protocolVersion`]: this.revision,
      [`${metaPrefix}clientInfo`]: this.info,
      [`${metaPrefix}clientCapabilities`]: this.capabilities,
    };
    return { ...params, _meta: { ...own, ...meta } };
  }

  async #send(params: string | undefined, method: string): Promise<void> {
    const text = `{"jsonrpc":"2.0","method":"${method}"${params === undefined ? '' : `,"params":${params}`}}`;
    await this.#transport.send({ text, via: ++this.#lastVia, method, params: {} });
  }

  #hear(text: string, via: number | undefined, status: number | undefined): void {
    const message = JSON.parse(text) as Message;
    if (message.jsonrpc !== '2.0') throw new Error(`not JSON-RPC: ${text}`);
    if (message.method === undefined) this.#answer(message, text, status);
    else {
      this.heard.push({ message, text, via });
      if (message.id !== undefined) this.#question(message);
    }
    for (const watcher of [...this.#watchers]) watcher();
  }

  #answer(message: Message, text: string, status: number | undefined): void {
    const written = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,"]+),/.exec(text)?.[1];
    const id = written ?? JSON.stringify(message.id);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      this.heard.push({ message, text, via: undefined });
      return;
    }
    this.#waiting.delete(id);
    const { result, error } = message;
    waiting.resolve({ text, id, result, error, status, before: this.heard.slice(waiting.from) });
  }

  #question({ id, method = '', params = {} }: Message): void {
    const body = this.#toBody(method, params);
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}`;
    void this.#transport.send({ text, via: ++this.#lastVia, method: undefined, params: {} });
  }

  #toBody(method: string, params: Fields): string {
    try {
      return `"result":${JSON.stringify(this.#respond(method, params))}`;
    } catch (error) {
      return `"error":${JSON.stringify({ code: -32601, message: String(error) })}`;
    }
  }

  #respond(method: string, params: Fields): Fields {
    this.asked.push({ method, params });
    const respond = this.responds.get(method);
    if (respond === undefined) throw new Error(`this client cannot be asked ${method}`);
    return respond(params);
  }
}

/** Every wait has an end, and says what it waited for. */
export function within<T>(promise: Promise<T>, what: () => string, ms = patienceMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what()} within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
