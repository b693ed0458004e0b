import { messageIn, openExchange } from './http-exchange.ts';
import { eventsOf, openSseStream } from './message-channels.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { type RunningGateway, StdioGateway, type WrittenConfig } from './running-sallyport.ts';

type Fields = Record<string, unknown>;

/** What a client answers, by the method of the question. */
export type Answers = Readonly<Record<string, Fields>>;

/** A client that answers questions, over one transport in one era. */
export interface AnsweringClient {
  readonly name: string;
  /** The answer to a call of a tool, whatever was asked meanwhile. */
  call(params: Fields, answers?: Answers): Promise<string>;
}

const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} };
const INITIALIZE = { capabilities: CAPABILITIES, clientInfo: { name: 'test', version: '1' } };
let lastId = 1_000;

/** All five ways in. */
export async function openAnsweringClients(gateway: RunningGateway, config: WrittenConfig): Promise<AnsweringClient[]> {
  return [
    await openHttp(gateway),
    openModern('HTTP, modern', (params) =>
      new PlainClient(gateway).post(toText('tools/call', params), modernHeaders('tools/call', params)).then(messageIn),
    ),
    await openSse(gateway),
    await openStdio(config),
    openModernStdio(config),
  ];
}

function toText(method: string, params: Fields, id = ++lastId): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** What a legacy client says to one question; `undefined`: the message is none. */
function answerTo(text: string, answers: Answers): string | undefined {
  const { id, method } = JSON.parse(text) as { id?: unknown; method?: string };
  const result = answers[method ?? ''];
  return id === undefined || result === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, result });
}

async function openHttp(gateway: RunningGateway): Promise<AnsweringClient> {
  const client = await new PlainClient(gateway).initialize('2025-11-25', CAPABILITIES);
  return {
    name: 'HTTP, legacy',
    async call(params, answers = {}) {
      const stream = await openExchange({
        url: client.url,
        headers: { ...gateway.headers, ...client.session },
        body: toText('tools/call', params),
      });
      if (stream.headers['content-type']?.startsWith('text/event-stream') !== true) {
        let body = '';
        for await (const chunk of stream.setEncoding('latin1')) body += chunk;
        return body;
      }
      let last = '';
      for await (const text of eventsOf(stream)) {
        last = text;
        const answer = answerTo(text, answers);
        if (answer !== undefined) await client.post(answer, client.session);
      }
      return last;
    },
  };
}

async function openSse(gateway: RunningGateway): Promise<AnsweringClient> {
  const { client, events } = await openSseStream(gateway);
  const until = async (id: number, answers: Answers): Promise<string> => {
    for (;;) {
      const text = (await events.next()).value ?? '{}';
      if (text.includes(`"id":${id},`) && !text.includes('"method"')) return text;
      const answer = answerTo(text, answers);
      if (answer !== undefined) await client.post(answer);
    }
  };
  const ask = async (method: string, params: Fields, answers: Answers): Promise<string> => {
    const id = ++lastId;
    await client.post(toText(method, params, id));
    return until(id, answers);
  };
  await ask('initialize', { ...INITIALIZE, protocolVersion: '2024-11-05' }, {});
  await client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return { name: 'SSE', call: (params, answers = {}) => ask('tools/call', params, answers) };
}

async function openStdio(config: WrittenConfig): Promise<AnsweringClient> {
  const gateway = new StdioGateway(config);
  let seen = 0;
  const ask = async (method: string, params: Fields, answers: Answers): Promise<string> => {
    const id = ++lastId;
    gateway.send(toText(method, params, id));
    for (;;) {
      const text = await gateway.process.until(() => gateway.lines[seen]);
      seen++;
      if (text.includes(`"id":${id},`) && !text.includes('"method"')) return text;
      const answer = answerTo(text, answers);
      if (answer !== undefined) gateway.send(answer);
    }
  };
  await ask('initialize', { ...INITIALIZE, protocolVersion: '2025-11-25' }, {});
  gateway.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return { name: 'stdio, legacy', call: (params, answers = {}) => ask('tools/call', params, answers) };
}

function openModernStdio(config: WrittenConfig): AnsweringClient {
  const gateway = new StdioGateway(config);
  return openModern('stdio, modern', async (params) => {
    const id = ++lastId;
    gateway.send(toText('tools/call', params, id));
    return JSON.parse(await gateway.line(`"id":${id},`)) as ReturnType<typeof messageIn>;
  });
}

/** Questions come as a result, and their answers with the same request again. */
function openModern(name: string, ask: (params: Fields) => Promise<ReturnType<typeof messageIn>>): AnsweringClient {
  return {
    name,
    async call(given, answers = {}) {
      let params: Fields = modernParams(given, CAPABILITIES);
      for (;;) {
        const message = await ask(params);
        const { result = {} } = message;
        if (result['resultType'] !== 'input_required') return JSON.stringify(message);
        const asked = Object.entries(result['inputRequests'] as Record<string, { method: string }>);
        const inputResponses = Object.fromEntries(asked.map(([key, { method }]) => [key, answers[method]]));
        const state = result['requestState'];
        params = { ...params, inputResponses, ...(state === undefined ? {} : { requestState: state }) };
      }
    },
  };
}
