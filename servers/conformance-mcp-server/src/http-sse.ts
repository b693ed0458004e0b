import { randomUUID } from 'node:crypto';
import type { Reply } from './call.ts';
import { type Exchange, sendJson } from './exchange.ts';
import { LegacySession } from './legacy.ts';
import { codes, isRequest, RpcError, toErrorMessage, toMessage } from './messages.ts';
import { EventStream } from './sse.ts';
import type { World } from './world.ts';

const mostSessions = 1_000;

interface SseSession {
  readonly session: LegacySession;
  readonly stream: EventStream;
}

/** HTTP+SSE of 2024-11-05: GET /sse names the endpoint to POST to, every answer comes on the stream. */
export function createSseEndpoint(world: World): {
  open: (exchange: Exchange) => void;
  post: (exchange: Exchange) => void;
} {
  const sessions = new Map<string, SseSession>();
  return {
    open({ request, response }) {
      if (request.method !== 'GET' || sessions.size >= mostSessions) {
        return sendJson(
          response,
          request.method === 'GET' ? 503 : 405,
          { error: 'GET one stream here' },
          { allow: 'GET' },
        );
      }
      const id = randomUUID();
      const stream = new EventStream(response);
      const session = new LegacySession(world, (message) => stream.write(message), '2024-11-05');
      sessions.set(id, { session, stream });
      stream.writeRaw(`event: endpoint\ndata: /message?sessionId=${id}\n\n`);
      response.once('close', () => {
        sessions.delete(id);
        session.close();
      });
    },
    post({ request, response, body }) {
      const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sessionId') ?? '';
      const found = sessions.get(id);
      if (request.method !== 'POST') return sendJson(response, 405, { error: 'POST messages here' }, { allow: 'POST' });
      if (found === undefined) {
        return sendJson(response, 404, toErrorMessage(new RpcError(codes.invalidRequest, 'Session not found')));
      }
      try {
        const message = toMessage(body);
        response.writeHead(202).end('Accepted');
        if (!isRequest(message)) return found.session.accept(message);
        const abort = new AbortController();
        const write: Reply['send'] = (answer) => found.stream.write(answer);
        void found.session.serve(message, { signal: abort.signal, send: write, end: write }, () => {
          abort.abort(new Error('cancelled'));
        });
      } catch (error) {
        sendJson(response, 400, toErrorMessage(error));
      }
    },
  };
}
