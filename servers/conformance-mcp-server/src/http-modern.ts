import type { ServerResponse } from 'node:http';
import type { Reply } from './call.ts';
import { type Exchange, sendJson } from './exchange.ts';
import { checkHeaders } from './header-checks.ts';
import { isRequest, RpcError, toErrorMessage, toMessage } from './messages.ts';
import { checkMeta, isModern, serveModern } from './modern.ts';
import { EventStream, prefersStream } from './sse.ts';
import type { World } from './world.ts';

/** One POST of the modern era: one request, or a notification, which has nothing to say here. */
export async function serveModernHttp(world: World, { request, response, body }: Exchange): Promise<void> {
  let id: string | number | undefined;
  try {
    const message = toMessage(body);
    if (!isRequest(message)) return void response.writeHead(202).end();
    id = message.id;
    if (!isModern(message.params)) checkMeta(message);
    checkHeaders(request.headers, message);
    await serveModern(world, message, openReply(response, prefersStream(request.headers.accept)));
  } catch (error) {
    sendJson(
      response,
      error instanceof RpcError && error.status !== 200 ? error.status : 400,
      toErrorMessage(error, id),
    );
  }
}

/** JSON unless something has to be said before the end, or the client prefers a stream; an error status needs JSON. */
function openReply(response: ServerResponse, preferred: boolean): Reply {
  const abort = new AbortController();
  let stream: EventStream | undefined;
  const open = (): EventStream => {
    stream ??= new EventStream(response);
    return stream;
  };
  response.once('close', () => {
    if (!response.writableFinished) abort.abort(new Error('the client closed the response stream'));
  });
  return {
    signal: abort.signal,
    send: (message) => open().write(message),
    end(message, status = 200) {
      if (stream === undefined && (!preferred || status !== 200)) return sendJson(response, status, message);
      open().write(message);
      open().end();
    },
  };
}
