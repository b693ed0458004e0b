import { FaultError } from '../core/errors.ts';
import { parseMessage, Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { toText, type Written } from '../core/response.ts';
import { mayTake, Shares } from '../core/shares.ts';
import { invalidToken } from './auth/challenge.ts';
import type { HttpExchange } from './http-exchange.ts';
import { LegacySession } from './legacy-session.ts';
import type { McpContext } from './mcp-endpoint.ts';
import { Outbox } from './outbox.ts';
import { readBody } from './read-body.ts';
import { type Reply, STREAM_HEADERS, toEvent } from './reply.ts';
import { isSameCaller, keepsRights } from './same-caller.ts';
import { toErrorText } from './to-response.ts';

/** One open event stream; it becomes a session with `initialize`. */
interface Stream {
  /** Who opened it, with what the newest credential allows. */
  principal: Principal;
  readonly path: string;
  session: LegacySession | undefined;
  send(text: string): void;
  answer(text: string): void;
  /** The session is over, and with it the stream it lives on. */
  end(): void;
}

/** A person's curl waits this long for the answer in its own terminal. Milliseconds. */
const ECHO_WAIT_MS = 30_000;

/**
 * HTTP+SSE of 2024-11-05: GET opens the stream and names the path for messages, POST takes a message, the answer
 * comes on the stream. The session lives as long as the stream.
 */
export class SseEndpoint {
  readonly #context: McpContext;
  readonly #streams = new Map<string, Stream>();
  readonly #shares = new Shares();

  constructor(context: McpContext) {
    this.#context = context;
  }

  async open({ request, response, endpoint, principal }: HttpExchange): Promise<void> {
    if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET' }).end();
      return;
    }
    const { sessions, streams, ports } = this.#context;
    const share = this.#shares.of(principal.id);
    if (!mayTake(share.held, ports.snapshot().gateway.limits.sessions - this.#streams.size))
      throw new FaultError('overloaded', 'Too many event streams are open.');
    const id = sessions.newId();
    const door = endpoint.kind === 'all' ? '' : `/${endpoint.kind}s/${encodeURIComponent(endpoint.name)}`;
    const path = `${door}/message${endpoint.kind !== 'server' && endpoint.isPlain === true ? '/plain' : ''}`;
    const outbox = new Outbox(response, principal.id);
    const stream: Stream = {
      principal,
      path,
      session: undefined,
      send: (text) => {
        if (!outbox.tell(toEvent(text, undefined))) response.destroy();
      },
      answer: (text) => {
        if (!outbox.answer(toEvent(text, undefined))) response.destroy();
      },
      end: () => response.end(),
    };
    this.#streams.set(id, stream);
    share.held++;
    response.writeHead(200, STREAM_HEADERS);
    response.write(`event: endpoint\ndata: ${path}?sessionId=${id}\n\n`, 'latin1');
    // Without a session nobody else looks whether its caller may still come in.
    const quiet = {
      check: () => {
        if (!this.#context.isCurrent(stream.principal)) response.end();
      },
      keepAlive: () => outbox.tell(':\n\n'),
    };
    streams.open(quiet);
    response.on('close', () => {
      streams.closed(quiet);
      this.#streams.delete(id);
      share.held--;
      stream.session?.close();
    });
  }

  async receive(http: HttpExchange): Promise<void> {
    const { request, response } = http;
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const isJson = /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
    // A page of another site can post a form without asking first, but never without an Origin: then only JSON will do.
    if (!isJson && request.headers.origin !== undefined)
      throw new FaultError('media_type', 'Send the message as Content-Type: application/json.');
    const url = new URL(request.url ?? '/', 'http://local');
    const id = url.searchParams.get('sessionId') ?? '';
    const stream = this.#streams.get(id);
    if (stream === undefined || !isSameCaller(stream.principal, http.principal) || stream.path !== url.pathname)
      throw noStream();
    // As for other sessions: one must not keep rights that are gone.
    if (!keepsRights(stream.principal, http.principal)) {
      stream.end();
      throw new FaultError('session_not_found', 'The rights of the caller changed. Open a new event stream.');
    }
    const { limits } = this.#context.ports.snapshot().gateway;
    const body = await readBody(request, limits.bodyBytes);
    // It may have been drawn out for longer than the credential lived, or the stream: a session without one never ends.
    if (!this.#context.isCurrent(http.principal)) throw invalidToken('The credential has ended.');
    if (this.#streams.get(id) !== stream) throw noStream();
    const message = parseMessage(body, { maxDepth: limits.depth, uniqueKeys: true });
    // Programs send JSON and listen on the stream. A person with curl sends curl's default and looks at this answer.
    const echo = !isJson && message instanceof Request;
    if (!echo) response.writeHead(202).end('Accepted');
    const patience = echo ? setTimeout(() => response.writeHead(202).end(), ECHO_WAIT_MS) : undefined;
    const answer = (written: Written) => {
      const text = toText(written);
      stream.answer(text);
      clearTimeout(patience);
      if (echo && !response.headersSent && !response.destroyed) {
        response.writeHead(200, STREAM_HEADERS).end(toEvent(text, undefined), 'latin1');
      }
    };
    const reply: Reply = { message: stream.send, answer, end: () => true };
    const opening = stream.session === undefined && message instanceof Request && message.method === 'initialize';
    if (opening) await this.#initialize(stream, { http, message, answer });
    else if (stream.session !== undefined) {
      stream.principal = http.principal;
      stream.session.adopt(http.principal);
      stream.session.receive(message, reply);
    } else if (message instanceof Request)
      answer(toErrorText(message.id, new FaultError('invalid_request', 'Send "initialize" first.')));
  }

  async #initialize(
    stream: Stream,
    { http, message, answer }: { http: HttpExchange; message: Request; answer(written: Written): void },
  ): Promise<void> {
    const { ports, sessions } = this.#context;
    try {
      const session = new LegacySession(ports, sessions.newId(), {
        request: message,
        endpoint: http.endpoint,
        principal: http.principal,
      });
      session.setOutlet(
        (text) => stream.send(text),
        () => stream.end(),
      );
      session.onClose = () => {
        stream.session = undefined;
        stream.end();
      };
      sessions.add(session, ports.snapshot().gateway.limits.sessions);
      stream.session = session;
      answer(await session.initialize(message));
    } catch (error) {
      answer(toErrorText(message.id, error));
      stream.session?.close();
    }
  }
}

function noStream(): FaultError {
  return new FaultError(
    'session_not_found',
    'There is no such session: open the event stream (GET /sse) and use the path it names.',
  );
}
