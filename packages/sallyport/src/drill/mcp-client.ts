import type { JsonObject } from '../core/json.ts';
import { isObject, member } from '../core/json.ts';
import { LATEST_LEGACY } from '../upstream/revisions.ts';
import { SseParser } from '../upstream/sse-parser.ts';
import type { Child } from './children.ts';

/** What a server asks of the client, and the client's answer. */
export type AnswerQuestion = (method: string, params: JsonObject) => JsonObject;

/** A client with no opinions and no guards, as plain MCP has it. */
export interface McpClient {
  /** @returns the whole answer, a result or an error */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
}

const PATIENCE_MS = 30_000;
const CAPABILITIES = { elicitation: {}, sampling: {} };

/** A server on the streams of a process. */
export async function connectStdio(child: Child, answerQuestion: AnswerQuestion): Promise<McpClient> {
  const waiting = new Map<number, (answer: JsonObject) => void>();
  let last = 0;
  child.onLine((line) => {
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) return;
    const id = member(message, 'id');
    if (member(message, 'method') !== undefined) {
      if (id !== undefined) child.write(JSON.stringify(toReply(message, answerQuestion)));
      return;
    }
    if (typeof id !== 'number') return;
    waiting.get(id)?.(message);
    waiting.delete(id);
  });
  const client: McpClient = {
    request(method, params = {}) {
      const id = ++last;
      return withDeadline(
        new Promise((resolve) => {
          waiting.set(id, resolve);
          child.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        }),
        method,
      );
    },
  };
  await initialize(client);
  child.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return client;
}

/** A server, or Sallyport, at an address. */
export async function connectHttp(
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  answerQuestion: AnswerQuestion,
): Promise<McpClient> {
  let session: Readonly<Record<string, string>> = {};
  let last = 0;
  const post = (message: object): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  const reply = async (message: JsonObject): Promise<void> => {
    await (await post(toReply(message, answerQuestion))).arrayBuffer();
  };
  const client: McpClient = {
    async request(method, params = {}) {
      const id = ++last;
      const response = await post({ id, method, params });
      const opened = response.headers.get('mcp-session-id');
      if (opened !== null) session = { 'mcp-session-id': opened, 'mcp-protocol-version': LATEST_LEGACY };
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
        return readEvents(response, id, reply);
      const text = await response.text();
      const answer: unknown = text === '' ? undefined : JSON.parse(text);
      return isObject(answer) ? answer : { error: { code: response.status, message: `HTTP ${response.status}` } };
    },
  };
  await initialize(client);
  await (await post({ method: 'notifications/initialized' })).arrayBuffer();
  return client;
}

async function initialize(client: McpClient): Promise<void> {
  const clientInfo = { name: 'drill-agent', version: '1.0.0' };
  const params = { protocolVersion: LATEST_LEGACY, capabilities: CAPABILITIES, clientInfo };
  const answer = await client.request('initialize', params);
  if (member(answer, 'result') === undefined) throw new Error(`no session: ${JSON.stringify(answer).slice(0, 500)}`);
}

/** Reads the stream of one answer; questions in it are answered on the way. */
async function readEvents(
  response: Response,
  id: number,
  reply: (question: JsonObject) => Promise<void>,
): Promise<JsonObject> {
  let answer: JsonObject | undefined;
  const replies: Promise<void>[] = [];
  const parser = new SseParser({
    event({ data }) {
      const message: unknown = JSON.parse(data.toString('utf8') || 'null');
      if (!isObject(message)) return;
      const asked = member(message, 'method') !== undefined && member(message, 'id') !== undefined;
      if (asked) replies.push(reply(message));
      else if (member(message, 'id') === id) answer = message;
    },
    position: () => undefined,
    retry: () => undefined,
  });
  for await (const chunk of response.body ?? []) {
    parser.push(Buffer.from(chunk));
    if (answer !== undefined) break;
  }
  await Promise.all(replies);
  return answer ?? { error: { code: 0, message: 'The stream ended without an answer.' } };
}

function toReply(message: JsonObject, answerQuestion: AnswerQuestion): JsonObject {
  const params = member(message, 'params');
  const result = answerQuestion(String(member(message, 'method')), isObject(params) ? params : {});
  return { jsonrpc: '2.0', id: member(message, 'id'), result };
}

function withDeadline<T>(work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: no answer`)), PATIENCE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
