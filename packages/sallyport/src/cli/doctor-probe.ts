import type { ServerSettings } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import { Request } from '../core/message.ts';
import { toHeaders, toOwnMeta } from '../upstream/modern.ts';
import { LATEST_LEGACY, LATEST_MODERN } from '../upstream/revisions.ts';
import { VERSION } from '../version.ts';
import { askHttp, isEventStream, type Reply } from './doctor-ask.ts';

/** What an HTTP answer says about who gave it. */
export type ReplyKind = 'mcp' | 'denied' | 'redirect' | 'down' | 'other';

export interface Probe {
  readonly kind: ReplyKind;
  /** The most telling answer. */
  readonly reply: Reply;
  /** All answers, in the order of the questions. */
  readonly replies: readonly Reply[];
}

export interface ProbeOptions {
  readonly url: URL;
  readonly type: 'http' | 'sse' | 'auto';
  readonly era: ServerSettings['era'];
  readonly headers: Readonly<Record<string, string>>;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** A server that stays silent to a question it does not know may answer the other one. */
const QUIET_MS = 3000;

/**
 * Asks an address as the connection will: server/discover, initialize, an event stream, until one is answered in a way
 * that decides.
 * @throws FaultError `timeout`; the error of the socket or parser.
 */
export async function probeAddress(options: ProbeOptions): Promise<Probe> {
  const replies: Reply[] = [];
  const startedAt = performance.now();
  let silence: unknown;
  for (const ask of toQuestions(options)) {
    const left = Math.max(1, options.waitMs - (performance.now() - startedAt));
    try {
      const reply = await ask(left);
      replies.push(reply);
      const kind = judgeReply(reply);
      if (kind !== 'other') return { kind, reply, replies };
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      silence = error;
    }
  }
  const reply = mostTelling(replies);
  if (reply === undefined) throw silence ?? new FaultError('timeout', 'No HTTP answer came.');
  return { kind: 'other', reply, replies };
}

type Ask = (waitMs: number) => Promise<Reply>;

function toQuestions(options: ProbeOptions): readonly Ask[] {
  const { type, era } = options;
  const discover: Ask = (waitMs) => askDiscover(options, Math.min(QUIET_MS, waitMs / 2));
  const initialize: Ask = (waitMs) => askInitialize(options, waitMs);
  const stream: Ask = (waitMs) => askStream(options, waitMs);
  if (type === 'sse') return [stream];
  return [
    discover,
    ...(era === 'modern' ? [] : [initialize]),
    ...(type === 'auto' && era !== 'modern' ? [stream] : []),
  ];
}

/** The answer to `initialize` is what legacy servers are made for; a GET says least. */
function mostTelling(replies: readonly Reply[]): Reply | undefined {
  return replies.findLast(({ method }) => method === 'POST') ?? replies[0];
}

const POST_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CLIENT = { name: 'sallyport-doctor', version: VERSION };

function askDiscover({ url, headers, signal }: ProbeOptions, waitMs: number): Promise<Reply> {
  const meta = toOwnMeta({ revision: LATEST_MODERN, capabilities: {}, clientInfo: CLIENT });
  const body = Request.of('1', 'server/discover', { _meta: meta }).bytes.toString('latin1');
  const own = toHeaders(LATEST_MODERN, 'server/discover', undefined);
  return askHttp(url, { method: 'POST', headers: { ...headers, ...POST_HEADERS, ...own }, body, waitMs, signal });
}

const GOODBYE_MS = 1000;

async function askInitialize({ url, headers, signal }: ProbeOptions, waitMs: number): Promise<Reply> {
  const params = { protocolVersion: LATEST_LEGACY, capabilities: {}, clientInfo: CLIENT };
  const body = Request.of('1', 'initialize', params).bytes.toString('latin1');
  const reply = await askHttp(url, { method: 'POST', headers: { ...headers, ...POST_HEADERS }, body, waitMs, signal });
  const session = reply.headers['mcp-session-id'];
  if (typeof session === 'string') {
    const goodbye = { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': LATEST_LEGACY };
    // A server that does not let sessions go ends them by itself.
    await askHttp(url, { method: 'DELETE', headers: goodbye, waitMs: GOODBYE_MS, signal }).catch(() => undefined);
  }
  return reply;
}

function askStream({ url, headers, signal }: ProbeOptions, waitMs: number): Promise<Reply> {
  return askHttp(url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, waitMs, signal });
}

const DOWN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function judgeReply(reply: Reply): ReplyKind {
  const { status, method, headers, body } = reply;
  if (status === 401 || status === 403 || status === 407) return 'denied';
  if (status >= 300 && status < 400) return 'redirect';
  if (DOWN.has(status)) return 'down';
  if (isEventStream(headers)) {
    if (status !== 200) return 'other';
    return /^data:/m.test(body) && (method === 'POST' || /^event: ?endpoint\r?$/m.test(body)) ? 'mcp' : 'other';
  }
  // A gateway may say in JSON-RPC that there is nothing at this path.
  return status !== 404 && rpcMember(body) !== undefined ? 'mcp' : 'other';
}

/** The JSON-RPC message a body is; `undefined` for anything else. */
export function rpcMember(body: string): object | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && member(value, 'jsonrpc') === '2.0' ? value : undefined;
  } catch {
    return undefined;
  }
}

const USUAL_PATHS = ['/mcp', '/sse'];

/**
 * The address on the same host at which something answers like an MCP server, if there is one. Asked without the
 * configured headers: nobody said that they are meant for other paths.
 */
export async function findOtherPath(options: ProbeOptions): Promise<string | undefined> {
  for (const path of USUAL_PATHS) {
    const url = new URL(path, options.url);
    if (url.pathname === options.url.pathname) continue;
    const type = path === '/sse' ? 'sse' : 'http';
    const probe = await probeAddress({ ...options, url, type, era: 'auto', headers: {} }).catch(() => undefined);
    if (probe?.kind === 'mcp' || probe?.reply.status === 401) return url.href;
  }
  return undefined;
}
