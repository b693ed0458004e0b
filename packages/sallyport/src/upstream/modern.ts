import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { type Answer, Request } from '../core/message.ts';
import type { UpstreamIdentity, UpstreamRequest } from '../core/upstream-port.ts';
import type { Connection } from './connection.ts';
import type { Dialect } from './dialect.ts';
import { toHeaderValue } from './header-value.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, setMeta, settleEdits, VERSION_KEY } from './request-meta.ts';
import type { OutgoingMessage } from './wire.ts';

export interface ModernHello {
  readonly revision: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
}

/** The `_meta` of a request of our own. */
export function toOwnMeta({ revision, capabilities, clientInfo }: ModernHello): JsonObject {
  return { [VERSION_KEY]: revision, [CLIENT_INFO_KEY]: clientInfo, [CAPABILITIES_KEY]: capabilities };
}

/** Asks `server/discover`; the answer may be an error, which tells about the era. */
export function askDiscover(connection: Connection, hello: ModernHello, timeoutMs: number): Promise<Answer> {
  const params = { _meta: toOwnMeta(hello) };
  const write = (id: number): OutgoingMessage => ({
    id,
    text: Request.of(String(id), 'server/discover', params).bytes.toString('latin1'),
    headers: toHeaders(hello.revision, 'server/discover', undefined),
  });
  return connection.request('server/discover', write, {
    timing: { timeoutMs, maxTimeoutMs: timeoutMs },
    handshake: true,
  });
}

/** What a DiscoverResult says about its server. */
export function toModernIdentity(result: JsonObject, revision: string): UpstreamIdentity {
  const capabilities = member(result, 'capabilities');
  const named = member(member(result, '_meta'), 'io.modelcontextprotocol/serverInfo') ?? member(result, 'serverInfo');
  const instructions = member(result, 'instructions');
  return {
    serverInfo: isObject(named) ? named : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    revision,
  };
}

export function toModernDialect(identity: UpstreamIdentity): Dialect {
  return {
    era: 'modern',
    identity,
    write: (outgoing, id, exchange) => writeModern(outgoing, id, { exchange, revision: identity.revision }),
  };
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  // SEP-2663, "Streamable HTTP: Routing Headers".
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

interface Speaker {
  readonly exchange: Exchange;
  readonly revision: string;
}

/** A modern client's own metadata stays as it wrote it, but for the token; a legacy client's is made from its handshake. */
function writeModern(outgoing: UpstreamRequest, id: number, { exchange, revision }: Speaker): OutgoingMessage {
  const { request, edits } = settleEdits(outgoing);
  const own = member(request.params, '_meta');
  const headers = toHeaders(revision, request.method, toName(outgoing), outgoing.paramHeaders);
  const token = String(id);
  if (own === undefined) {
    const meta = request.setParam('_meta', `{"progressToken":${token},${toIdentity(exchange, revision)}}`);
    return { id, text: request.write(token, edits.length === 0 ? [meta] : [...edits, meta]), headers };
  }
  const changes = new Map<string, string>();
  if (member(own, VERSION_KEY) !== revision) changes.set(VERSION_KEY, JSON.stringify(revision));
  if (member(own, CLIENT_INFO_KEY) === undefined) changes.set(CLIENT_INFO_KEY, JSON.stringify(exchange.client.info));
  if (member(own, CAPABILITIES_KEY) === undefined)
    changes.set(CAPABILITIES_KEY, JSON.stringify(exchange.client.capabilities));
  if (member(own, LOG_LEVEL_KEY) === undefined && exchange.logLevel !== undefined)
    changes.set(LOG_LEVEL_KEY, JSON.stringify(exchange.logLevel));
  // A modern client said everything itself: its metadata stays byte for byte.
  const meta =
    changes.size === 0
      ? request.setInParam('_meta', 'progressToken', token)
      : setMeta(request, changes.set('progressToken', token));
  return { id, text: request.write(token, edits.length === 0 ? [meta] : [...edits, meta]), headers };
}

/** What a legacy client said once, in its handshake, as members of `_meta`; written once per client and revision. */
const identities = new WeakMap<Client, { readonly revision: string; readonly text: string }>();

function toIdentity({ client, logLevel }: Exchange, revision: string): string {
  let identity = identities.get(client);
  if (identity?.revision !== revision) {
    const own = { [VERSION_KEY]: revision, [CLIENT_INFO_KEY]: client.info, [CAPABILITIES_KEY]: client.capabilities };
    identity = { revision, text: JSON.stringify(own).slice(1, -1) };
    identities.set(client, identity);
  }
  return logLevel === undefined ? identity.text : `${identity.text},"${LOG_LEVEL_KEY}":${JSON.stringify(logLevel)}`;
}

function toName({ request, target }: UpstreamRequest): string | undefined {
  const key = NAMED.get(request.method);
  if (key === undefined) return undefined;
  const value = target ?? member(request.params, key);
  return typeof value === 'string' ? value : undefined;
}

/** A tool is called many times: its headers are made, checked and written once. */
const shared = new Map<string, Record<string, string>>();
const MAX_SHARED = 1_000;
/** Characters: some URIs are long. */
const MAX_KEY = 256;

/** The body's fields that intermediaries may read (2026-07-28, "Request Metadata"). */
export function toHeaders(
  revision: string,
  method: string,
  name: string | undefined,
  more?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const key = `${revision} ${method}${name === undefined ? '' : ` ${name}`}`;
  let headers = shared.get(key);
  if (headers === undefined) {
    headers = { 'mcp-protocol-version': revision, 'mcp-method': method };
    if (name !== undefined) headers['mcp-name'] = toHeaderValue(name);
    if (shared.size >= MAX_SHARED) shared.clear();
    // A URI or an id may hold what was masked, which is kept nowhere else.
    const isOften = name === undefined || method === 'tools/call' || method === 'prompts/get';
    if (isOften && key.length <= MAX_KEY) shared.set(key, headers);
  }
  if (more === undefined) return headers;
  return { ...headers, ...Object.fromEntries(Object.entries(more).map(([own, value]) => [own, toHeaderValue(value)])) };
}

const MAX_ROUNDS = 16;

/**
 * A request to a modern upstream, with its rounds of `input_required` (2026-07-28, Multi Round-Trip Requests): while the
 * client is asked question by question, each round is the original request again, under a new id, with the answers.
 */
export async function callModern(
  connection: Connection,
  outgoing: UpstreamRequest,
  exchange: Exchange,
): Promise<Answer> {
  const { settings, dialect } = connection;
  if (dialect === undefined) throw new FaultError('internal', 'The connection has no dialect yet.');
  const { method } = outgoing.request;
  let inputs: JsonObject | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const current = inputs === undefined ? outgoing : withInputs(outgoing, inputs);
    const write = (id: number) => dialect.write(current, id, exchange);
    const answer = await connection.request(method, write, { timing: settings, exchange });
    if (answer.resultMember('resultType') !== 'input_required') return answer;
    const asked = answer.resultMember('inputRequests');
    const responses = exchange.answerInputs(isObject(asked) ? asked : {});
    const given = responses && (await untilCancelled(responses, exchange));
    if (given === undefined) return answer;
    const state = answer.resultMember('requestState');
    inputs = {
      inputResponses: given,
      ...(state === undefined ? {} : { requestState: state }),
    };
  }
  throw new FaultError(
    'upstream_protocol',
    `"${settings.name}" asked for input more than ${MAX_ROUNDS} times for one request.`,
  );
}

function withInputs(outgoing: UpstreamRequest, inputs: JsonObject): UpstreamRequest {
  const edits = Object.entries(inputs).map(([key, value]) => outgoing.request.setParam(key, JSON.stringify(value)));
  return { ...outgoing, edits: [...outgoing.edits, ...edits] };
}

/** No request is in flight between two rounds: a client that leaves then must not be waited for. */
function untilCancelled<T>(responses: Promise<T>, exchange: Exchange): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new FaultError('cancelled', 'The client cancelled the request.'));
    if (exchange.cancelled) return cancel();
    exchange.onCancel = cancel;
    responses.then(resolve, reject).finally(() => {
      exchange.onCancel = undefined;
    });
  });
}
