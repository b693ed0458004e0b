import { isSameEndpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import { type Message, Notification, parseBatch, parseMessage, Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { invalidToken } from './auth/challenge.ts';
import { answerBatch } from './batch.ts';
import type { HttpExchange, HttpRequest, HttpResponse } from './http-exchange.ts';
import { LegacySession } from './legacy-session.ts';
import type { ModernCall } from './modern-call.ts';
import { hearModern, receiveModern } from './modern-endpoint.ts';
import { carriesModernMeta } from './modern-request.ts';
import type { Parking } from './parking.ts';
import type { GatewayPorts } from './ports.ts';
import { readBody } from './read-body.ts';
import { HttpReply, STREAM_HEADERS, toEvent, writeEvent } from './reply.ts';
import { hasBatches, hasPrimingEvents, isLegacyRevision } from './revisions.ts';
import type { SessionStore } from './session-store.ts';
import type { Streams } from './streams.ts';

export interface McpContext {
  readonly ports: GatewayPorts;
  readonly sessions: SessionStore;
  readonly parking: Parking<ModernCall>;
  readonly streams: Streams;
  /** Whether the credential of a caller still counts. */
  isCurrent(principal: Principal): boolean;
}

/** Streamable HTTP, all revisions on one path: POST decides the era, GET and DELETE belong to legacy sessions. */
export function serveMcp(context: McpContext, http: HttpExchange): Promise<void> | void {
  switch (http.request.method) {
    case 'POST':
      return post(context, http);
    case 'GET':
      return openStandaloneStream(context, http);
    case 'DELETE':
      return endSession(context, http);
    default:
      http.response.writeHead(405, { allow: 'GET, POST, DELETE' }).end();
  }
}

function post(context: McpContext, http: HttpExchange): Promise<void> | void {
  const { request } = http;
  const { limits } = context.ports.snapshot().gateway;
  if (!isJson(request)) {
    // Also what keeps a web page from posting without a preflight.
    throw new FaultError('media_type', 'Send the message as Content-Type: application/json.');
  }
  const accepts = readAccept(request.headers.accept);
  const body = readBody(request, limits.bodyBytes);
  if (body instanceof Promise)
    return body.then((bytes) => {
      // It may have been drawn out for longer than the credential lived.
      if (!context.isCurrent(http.principal)) throw invalidToken('The credential has ended.');
      return receive(context, http, { bytes, accepts });
    });
  return receive(context, http, { bytes: body, accepts });
}

export function isJson({ headers }: HttpRequest): boolean {
  const type = headers['content-type'];
  return type === 'application/json' || /^application\/json\s*(;|$)/i.test(type ?? '');
}

function receive(
  context: McpContext,
  http: HttpExchange,
  { bytes, accepts }: { bytes: Buffer; accepts: Accepts },
): Promise<void> | void {
  const { request, response } = http;
  const { limits } = context.ports.snapshot().gateway;
  const rules = { maxDepth: limits.depth, uniqueKeys: true };
  const batch = parseBatch(bytes, rules);
  if (batch !== undefined) {
    receiveBatch(context, http, { batch, accepts });
    return;
  }
  const message = parseMessage(bytes, rules);
  if (isModern(message, request)) {
    if (message instanceof Notification)
      return hearModern({ ...context, ...http }, message).then(() => void response.writeHead(202).end());
    if (!(message instanceof Request)) {
      response.writeHead(400).end();
      return;
    }
    const reply = new HttpReply(response, accepts, http.principal.id);
    const { ports, parking, sessions } = context;
    const { endpoint, principal } = http;
    const header = (name: string) => one(request.headers[name]);
    const work = receiveModern({ ports, parking, sessions, endpoint, principal, header }, message, reply);
    if (work === undefined || reply.done) return;
    context.streams.wait(reply);
    response.on('close', () => {
      if (reply.done) return;
      work.onReplyClosed(reply);
      // Nobody is there to be answered: whoever looks after waiting replies would keep it, and the request with it.
      reply.abort();
    });
    return;
  }
  if (message instanceof Request && message.method === 'initialize')
    return initialize(context, http, { message, accepts });
  const session = findSession(context, http);
  if (message instanceof Request) answerIn(context, session, { message, accepts, response });
  else {
    session.receive(message, NO_REPLY);
    response.writeHead(202).end();
  }
}

/** What speaks for itself is modern; so is what comes under a header that names a revision no session could have negotiated. */
function isModern(message: Message, request: HttpRequest): boolean {
  const speaks = message.kind !== 'answer' && carriesModernMeta(message.params);
  if (request.headers['mcp-session-id'] !== undefined) return speaks && message instanceof Request;
  if (speaks) return true;
  const version = one(request.headers['mcp-protocol-version']);
  return version !== undefined && !isLegacyRevision(version);
}

async function initialize(
  { ports, sessions }: McpContext,
  { request, response, endpoint, principal }: HttpExchange,
  { message, accepts }: { message: Request; accepts: Accepts },
): Promise<void> {
  if (request.headers['mcp-session-id'] !== undefined)
    throw new FaultError('invalid_request', 'This session is initialized already.');
  const session = new LegacySession(ports, sessions.newId(), { request: message, endpoint, principal });
  sessions.add(session, ports.snapshot().gateway.limits.sessions);
  const reply = new HttpReply(response, { ...accepts, headers: { 'mcp-session-id': session.id } }, principal.id);
  try {
    reply.answer(await session.initialize(message), 200);
  } catch (error) {
    session.close();
    throw error;
  }
}

function answerIn(
  context: McpContext,
  session: LegacySession,
  exchange: { message: Request; accepts: Accepts; response: HttpResponse },
): void {
  const reply = sessionReply(session, exchange);
  context.streams.wait(reply);
  session.receive(exchange.message, reply);
  const { pollAfterMs } = context.ports.snapshot().gateway;
  if (pollAfterMs > 0 && !reply.done) setTimeout(() => reply.disconnect(), pollAfterMs).unref();
}

function sessionReply(
  session: LegacySession,
  { accepts, response }: { accepts: Accepts; response: HttpResponse },
): HttpReply {
  const { json, stream, streamFirst } = accepts;
  const prime = hasPrimingEvents(session.revision);
  return new HttpReply(response, { json, stream, streamFirst, log: session.events, prime }, session.principal.id);
}

function receiveBatch(
  context: McpContext,
  http: HttpExchange,
  { batch, accepts }: { batch: ReturnType<typeof parseBatch> & object; accepts: Accepts },
): void {
  const session = findSession(context, http);
  if (!hasBatches(session.revision))
    throw new FaultError(
      'invalid_request',
      'Batches are part of revision 2025-03-26 only. Send one message at a time.',
    );
  if (batch.length === 0) throw new FaultError('invalid_request', 'A batch holds at least one message.');
  const reply = sessionReply(session, { accepts, response: http.response });
  context.streams.wait(reply);
  if (!answerBatch(batch, reply, (message, part) => session.receive(message, part))) http.response.writeHead(202).end();
}

function findSession({ sessions }: McpContext, { request, principal, endpoint }: HttpExchange): LegacySession {
  const id = one(request.headers['mcp-session-id']);
  if (id === undefined) {
    throw new FaultError(
      'invalid_request',
      'There is no session: send "initialize" first and repeat its Mcp-Session-Id header, or speak a revision without sessions.',
    );
  }
  const version = one(request.headers['mcp-protocol-version']);
  if (version !== undefined && !isLegacyRevision(version))
    throw new FaultError(
      'invalid_request',
      `MCP-Protocol-Version ${version.slice(0, 32)} is not supported in a session.`,
    );
  const session = sessions.get(id, principal);
  if (!isSameEndpoint(session.endpoint, endpoint))
    throw new FaultError('session_not_found', 'Session not found on this path.');
  session.adopt(principal);
  return session;
}

function openStandaloneStream(context: McpContext, http: HttpExchange): void {
  const { request, response } = http;
  if (!readAccept(request.headers.accept).stream)
    throw new FaultError('not_acceptable', 'The stream is text/event-stream: say so in Accept.');
  if (request.headers['mcp-session-id'] === undefined) {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const session = findSession(context, http);
  const lastEventId = one(request.headers['last-event-id']);
  const resumed = lastEventId === undefined ? undefined : session.events.resume(lastEventId);
  if (resumed === undefined || resumed.stream === 0) {
    if (session.hasOutlet) throw new FaultError('conflict', 'This session has its stream already.');
  }
  if (resumed !== undefined && resumed.stream !== 0 && resumed.missed.length === 0 && resumed.reply?.done !== false) {
    // Nothing more comes here. After an empty stream SDK clients would ask again and again, without saying for which.
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  response.writeHead(200, { ...STREAM_HEADERS, 'mcp-session-id': session.id });
  response.flushHeaders();
  const caller = http.principal.id;
  for (const { id, text } of resumed?.missed ?? []) writeEvent(response, toEvent(text, id), caller);
  if (resumed !== undefined && resumed.stream !== 0) {
    if (resumed.reply === undefined || resumed.reply.done) response.end();
    else resumed.reply.attach(response);
    return;
  }
  session.setOutlet(
    (text, id) => writeEvent(response, toEvent(text, id), caller),
    () => response.end(),
  );
  const stream = { keepAlive: () => writeEvent(response, ':\n\n', caller) };
  context.streams.open(stream);
  const then = session.onClose;
  session.onClose = () => {
    response.end();
    then?.();
  };
  response.on('close', () => {
    context.streams.closed(stream);
    session.setOutlet(undefined);
    session.onClose = then;
  });
}

function endSession(context: McpContext, http: HttpExchange): void {
  findSession(context, http).close();
  http.response.writeHead(200).end();
}

export interface Accepts {
  readonly json: boolean;
  readonly stream: boolean;
  /** What it names first it likes better. */
  readonly streamFirst: boolean;
}

/** Clients repeat themselves: what an Accept header means is worked out once. */
const accepted = new Map<string, Accepts>();
const MAX_ACCEPTED = 100;

function readAccept(accept: string | undefined): Accepts {
  const known = accepted.get(accept ?? '');
  if (known !== undefined) return known;
  const accepts = parseAccept(accept);
  if (accepted.size < MAX_ACCEPTED) accepted.set(accept ?? '', accepts);
  return accepts;
}

/** @throws FaultError `not_acceptable` when the client accepts neither form of answer. */
function parseAccept(accept: string | undefined): Accepts {
  if (accept === undefined || accept.includes('*/*')) return { json: true, stream: true, streamFirst: false };
  const streamFirst = /^\s*text\/event-stream/i.test(accept);
  const accepts = {
    streamFirst,
    json: /application\/(json|\*)/i.test(accept),
    stream: /text\/(event-stream|\*)/i.test(accept),
  };
  if (!accepts.json && !accepts.stream)
    throw new FaultError('not_acceptable', 'Accept application/json and text/event-stream.');
  return accepts;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

const NO_REPLY = { message() {}, answer() {} };
