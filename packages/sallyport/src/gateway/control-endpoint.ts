import { toBinary } from '../core/json-scan.ts';
import type { Principal } from '../core/principal.ts';
import { invalidToken } from './auth/challenge.ts';
import type { HttpRequest, HttpResponse } from './http-exchange.ts';
import { readBody } from './read-body.ts';
import { STREAM_HEADERS, writeEvent } from './reply.ts';
import type { Streams } from './streams.ts';

/** The control plane as the front sees it: a request whose caller is known goes in, a body or events come out. */
export interface ControlPort {
  handle(request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly principal: Principal;
    readonly contentType: string | undefined;
    readonly body: Buffer;
  }): Promise<
    | {
        readonly kind: 'whole';
        readonly status: number;
        readonly type: string;
        readonly body: string;
        readonly allow?: string;
      }
    | { readonly kind: 'text'; readonly type: string; readonly pieces: AsyncIterable<string> }
    | { readonly kind: 'events'; follow(write: (event: string) => void): () => void; mayHear(): boolean }
  >;
}

/** Where the control plane begins. */
export const CONTROL_PREFIX = '/api/';

export interface ControlExchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly principal: Principal;
  readonly path: string;
}

/** One request for the control plane. */
export async function serveControl(
  control: ControlPort,
  { request, response, principal, path }: ControlExchange,
  {
    streams,
    bodyBytes,
    isCurrent,
  }: { readonly streams: Streams; readonly bodyBytes: number; isCurrent(principal: Principal): boolean },
): Promise<void> {
  const body = await readBody(request, bodyBytes);
  // It may have been drawn out for longer than the credential lived.
  if (!isCurrent(principal)) throw invalidToken('The credential has ended.');
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  const reply = await control.handle({
    method: request.method ?? 'GET',
    path,
    query: mark < 0 ? '' : url.slice(mark + 1),
    principal,
    contentType: request.headers['content-type'],
    body,
  });
  if (response.destroyed) return;
  if (reply.kind === 'whole') {
    const bytes = Buffer.from(reply.body, 'utf8');
    const allow = reply.allow === undefined ? {} : { allow: reply.allow };
    response
      .writeHead(reply.status, {
        'content-type': reply.type,
        'content-length': bytes.length,
        // A new key is among what is said here.
        'cache-control': 'no-store',
        ...allow,
      })
      .end(bytes);
    return;
  }
  if (reply.kind === 'text') {
    await sendText(response, reply, () => isCurrent(principal));
    return;
  }
  response.writeHead(200, STREAM_HEADERS);
  response.flushHeaders();
  // A credential that has ended, or has lost its role, opens nothing and keeps nothing open.
  const tell = (text: string) =>
    isCurrent(principal) && reply.mayHear() ? writeEvent(response, text, principal.id) : response.end();
  const stop = reply.follow((event) => tell(toBinary(event)));
  const quiet = { keepAlive: () => tell(':\n\n') };
  streams.open(quiet);
  response.on('close', () => {
    streams.closed(quiet);
    stop();
  });
}

/** A client that takes nothing for so long has gone. Milliseconds. */
const TAKE_MS = 60_000;

/** As fast as the client takes it. What fails half way ends the connection: nobody takes half for the whole. */
async function sendText(
  response: HttpResponse,
  { type, pieces }: { readonly type: string; readonly pieces: AsyncIterable<string> },
  mayRead: () => boolean,
): Promise<void> {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  response.flushHeaders();
  try {
    for await (const piece of pieces) {
      if (!mayRead()) throw invalidToken('The credential has ended.');
      await taken(response, toBinary(piece));
    }
    response.end();
  } catch {
    response.destroy();
  }
}

function taken(response: HttpResponse, piece: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the client takes nothing')), TAKE_MS);
    const gone = (): void => {
      clearTimeout(timer);
      reject(new Error('the client has gone'));
    };
    if (response.destroyed) return gone();
    response.write(piece, 'latin1', () => {
      clearTimeout(timer);
      if (response.destroyed) gone();
      else resolve();
    });
  });
}
