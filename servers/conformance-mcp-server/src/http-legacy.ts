import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Reply } from './call.ts';
import { type Exchange, sendJson } from './exchange.ts';
import { isLegacyRevision, LegacySession } from './legacy.ts';
import {
  codes,
  isFields,
  isRequest,
  type Message,
  type Request,
  RpcError,
  toErrorMessage,
  toMessage,
} from './messages.ts';
import { ResumableStream, StreamShelf } from './resumable.ts';
import { prefersStream } from './sse.ts';
import type { World } from './world.ts';

const mostSessions = 1_000;

interface HttpSession {
  readonly id: string;
  readonly session: LegacySession;
  readonly streams: StreamShelf;
}

/** Streamable HTTP of 2025-03-26 to 2025-11-25: sessions, the GET stream, resumption, DELETE; or without any of these. */
export function createLegacyEndpoint(world: World, stateless: boolean): (exchange: Exchange) => void {
  const sessions = new Map<string, HttpSession>();
  const open = (): HttpSession => {
    const streams = new StreamShelf();
    const session = new LegacySession(world, (message) => streams.standalone.send(message));
    const opened = { id: randomUUID(), session, streams };
    sessions.set(opened.id, opened);
    const oldest = sessions.size > mostSessions ? sessions.values().next().value : undefined;
    if (oldest !== undefined) close(oldest);
    return opened;
  };
  const close = ({ id, session, streams }: HttpSession): void => {
    sessions.delete(id);
    session.close();
    streams.close();
  };
  return (exchange) => {
    const { request, response } = exchange;
    try {
      checkRevision(request);
      if (stateless) return serveStateless(world, exchange);
      if (request.method === 'POST') return post(exchange, sessions, open);
      const found = find(request, sessions);
      if (request.method === 'GET') return get(exchange, found);
      if (request.method !== 'DELETE') throw new RpcError(codes.invalidRequest, 'Method not allowed', { status: 405 });
      close(found);
      response.writeHead(204).end();
    } catch (error) {
      const status = error instanceof RpcError && error.status !== 200 ? error.status : 400;
      sendJson(response, status, toErrorMessage(error), status === 405 ? { allow: 'GET, POST, DELETE' } : {});
    }
  };
}

function post(
  { request, response, body }: Exchange,
  sessions: ReadonlyMap<string, HttpSession>,
  open: () => HttpSession,
): void {
  checkAccept(request, ['application/json', 'text/event-stream']);
  const starts = isFields(body) && body.method === 'initialize' && request.headers['mcp-session-id'] === undefined;
  const found = starts ? open() : find(request, sessions);
  const messages = toMessages(body, found.session.revision);
  const requests = messages.filter(isRequest);
  for (const message of messages) if (!isRequest(message)) found.session.accept(message);
  if (requests.length === 0) return void response.writeHead(202).end();
  const stream = found.streams.open({
    response,
    headers: starts ? { 'mcp-session-id': found.id } : {},
    preferred: prefersStream(request.headers.accept) || requests.length > 1,
    // Clients before 2025-11-25 may stumble over an event without data.
    primed: found.session.revision === '2025-11-25' && !starts,
  });
  serveAll(requests, stream, found.session);
}

function serveAll(requests: readonly Request[], stream: ResumableStream, session: LegacySession): void {
  let open = requests.length;
  for (const request of requests) {
    const abort = new AbortController();
    const finish = (message: Message | undefined): void => {
      open -= 1;
      if (open === 0) stream.end(message);
      else if (message !== undefined) stream.send(message);
    };
    const reply: Reply = {
      signal: abort.signal,
      send: (message) => stream.send(message),
      end: finish,
      detach: () => stream.detach(),
    };
    const stop = (): void => {
      abort.abort(new Error('cancelled'));
      finish(undefined);
    };
    void session.serve(request, reply, stop);
  }
}

function get({ request, response }: Exchange, found: HttpSession): void {
  checkAccept(request, ['text/event-stream']);
  const last = request.headers['last-event-id'];
  if (typeof last === 'string') found.streams.resume(last, response);
  else found.streams.standalone.attach(response);
}

/** Each POST stands alone; nothing can be asked of the client because nobody would receive its answer. */
function serveStateless(world: World, { request, response, body }: Exchange): void {
  if (request.method !== 'POST') throw new RpcError(codes.invalidRequest, 'Method not allowed', { status: 405 });
  checkAccept(request, ['application/json', 'text/event-stream']);
  const header = request.headers['mcp-protocol-version'];
  const session = new LegacySession(world, () => {}, typeof header === 'string' ? header : '2025-03-26');
  const requests = toMessages(body, session.revision).filter(isRequest);
  response.once('close', () => session.close());
  if (requests.length === 0) return void response.writeHead(202).end();
  const preferred = prefersStream(request.headers.accept) || requests.length > 1;
  const stream = new ResumableStream('only', { response, headers: {}, preferred, primed: false });
  serveAll(requests, stream, session);
}

function toMessages(body: unknown, revision: string): Message[] {
  if (!Array.isArray(body)) return [toMessage(body)];
  if (revision !== '2025-03-26' || body.length === 0) {
    throw new RpcError(codes.invalidRequest, 'Batches exist in 2025-03-26 only', { status: 400 });
  }
  return body.map(toMessage);
}

function find(request: IncomingMessage, sessions: ReadonlyMap<string, HttpSession>): HttpSession {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string') throw new RpcError(-32000, 'Mcp-Session-Id is required', { status: 400 });
  const found = sessions.get(id);
  if (found === undefined) throw new RpcError(-32001, 'Session not found', { status: 404 });
  return found;
}

function checkRevision(request: IncomingMessage): void {
  const header = request.headers['mcp-protocol-version'];
  if (header !== undefined && !isLegacyRevision(header)) {
    throw new RpcError(-32000, `Unsupported protocol version: ${String(header)}`, { status: 400 });
  }
}

function checkAccept(request: IncomingMessage, types: readonly string[]): void {
  const accept = request.headers.accept ?? '';
  if (accept.includes('*/*') || types.every((type) => accept.includes(type))) return;
  throw new RpcError(-32000, `Accept must list ${types.join(' and ')}`, { status: 406 });
}
