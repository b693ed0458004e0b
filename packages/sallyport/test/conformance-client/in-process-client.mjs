// An MCP client without an SDK, joined to a Sallyport in the same process by the streams `sallyport stdio` would have.
import { PassThrough } from 'node:stream';

export const revisions = { legacy: '2025-11-25', modern: '2026-07-28' };

const clientInfo = { name: 'conformance-driver', version: '1' };
/** All a server may ask for: the suites look at how each of them is declared. */
const capabilities = { roots: {}, sampling: {}, elicitation: {} };
const answerWithinMs = 15_000;
const maxRounds = 8;
const maxPages = 16;

/** What a server may ask, and what this client says: the schema's defaults, else the plainest value that fits. */
const answers = new Map([
  ['elicitation/create', ({ requestedSchema }) => ({ action: 'accept', content: toSample(requestedSchema, 'all') })],
  ['roots/list', () => ({ roots: [] })],
  [
    'sampling/createMessage',
    () => ({ role: 'assistant', content: { type: 'text', text: 'sample' }, model: 'none', stopReason: 'endTurn' }),
  ],
]);

export class InProcessClient {
  #stdin = new PassThrough();
  #era;
  #waiting = new Map();
  #lastId = 0;
  #unread = '';
  /** Called with each question before it is answered. */
  onQuestion = async () => {};
  /** The methods of the questions that were asked. */
  asked = [];

  constructor(app, endpoint, era) {
    this.#era = era;
    const stdout = new PassThrough();
    stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    this.served = app.serveStdio({ stdin: this.#stdin, stdout }, endpoint);
  }

  /** Resolves with the capabilities the endpoint has. */
  async open() {
    if (this.#era === 'modern') return (await this.request('server/discover')).capabilities;
    const params = { protocolVersion: revisions.legacy, capabilities, clientInfo };
    const result = await this.request('initialize', params);
    this.#send({ method: 'notifications/initialized' });
    return result.capabilities;
  }

  /** Every item of a list, page by page. */
  async list(kind) {
    const items = [];
    let cursor;
    for (let page = 0; page < maxPages; page++) {
      const result = await this.request(`${kind}/list`, cursor === undefined ? {} : { cursor });
      items.push(...result[kind]);
      cursor = result.nextCursor;
      if (cursor === undefined) return items;
    }
    throw new Error(`${kind}/list has more than ${maxPages} pages`);
  }

  call(name, given) {
    return this.request('tools/call', { name, arguments: given });
  }

  /** Resolves with the result, after as many rounds of questions as the server wants. */
  async request(method, params = {}) {
    let round = params;
    for (let rounds = 0; rounds < maxRounds; rounds++) {
      const result = await this.#ask(method, round);
      if (result.resultType !== 'input_required') return result;
      const inputResponses = {};
      for (const [key, question] of Object.entries(result.inputRequests ?? {}))
        inputResponses[key] = await this.#answer(question);
      const { requestState } = result;
      round = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw new Error(`${method} still wants input after ${maxRounds} rounds`);
  }

  async end() {
    this.#stdin.end();
    await this.served;
  }

  #ask(method, params) {
    const id = ++this.#lastId;
    const modern = {
      'io.modelcontextprotocol/protocolVersion': revisions.modern,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method} in time`)), answerWithinMs);
      this.#waiting.set(id, ({ result, error }) => {
        clearTimeout(timer);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.code} ${error.message}`));
      });
      this.#send({ id, method, params: this.#era === 'modern' ? { ...params, _meta: modern } : params });
    });
  }

  #send(message) {
    this.#stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(text) {
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop();
    for (const line of lines) this.#receive(JSON.parse(line));
  }

  #receive(message) {
    const { id, method } = message;
    if (method === undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    } else if (id !== undefined) {
      this.#answer(message).then(
        (result) => this.#send({ id, result }),
        (error) => this.#send({ id, error: { code: -32603, message: String(error) } }),
      );
    }
  }

  async #answer({ method, params }) {
    this.asked.push(method);
    await this.onQuestion(method);
    const answer = answers.get(method);
    if (answer === undefined) throw new Error(`no answer is known to ${method}`);
    return answer(params ?? {});
  }
}

const samples = new Map([
  ['string', 'sample'],
  ['number', 2],
  ['integer', 2],
  ['boolean', true],
  ['array', []],
  ['object', {}],
  ['null', null],
]);

/** An object for a schema. `which`: `required` properties only, or `all` of them. */
export function toSample(schema, which = 'required') {
  const sample = {};
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    if (which === 'required' && !(schema.required ?? []).includes(name)) continue;
    sample[name] = property.default ?? property.enum?.[0] ?? samples.get(property.type) ?? 'sample';
  }
  return sample;
}
