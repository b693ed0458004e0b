import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { ControlApi } from '../control/api.ts';
import { FaultError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';

export interface ApiCall {
  readonly method: string;
  /** With the prefix of the API, parameters filled in, without the query. */
  readonly path: string;
  readonly query: string;
  /** JSON. */
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer: whole, piece by piece, or events until they end or `stop` is called. */
export type ApiAnswer =
  | { readonly kind: 'whole'; readonly status: number; readonly text: string }
  | { readonly kind: 'text'; readonly pieces: AsyncIterable<string> }
  | {
      readonly kind: 'events';
      /** `ended` is called once, with a fault unless it was stopped. */
      follow(write: (text: string) => void, ended: (fault: FaultError | undefined) => void): () => void;
    };

/** How a command line reaches the API. */
export interface ApiTransport {
  send(call: ApiCall): Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** A restart waits for the old child to end, a look at all servers for the slowest of them. Milliseconds. */
const PATIENCE_MS = 180_000;
const MAX_ANSWER = 64 * 1024 * 1024;

/** The API of the Sallyport that answers at this socket, as long as it is still that one's. */
export function createSocketTransport(
  socketPath: string,
  { isTrusted, token }: { isTrusted(): boolean; readonly token: string },
): ApiTransport {
  return {
    async send({ method, path, query, body, signal }) {
      if (!isTrusted()) throw new FaultError('unreachable', 'The running Sallyport has ended.');
      const target = query === '' ? path : `${path}?${query}`;
      // The name says nothing: it is the socket that leads there.
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const headers = { host: 'localhost', authorization: `Bearer ${token}`, ...type };
      const sent = request({ socketPath, method, path: target, headers, signal, timeout: PATIENCE_MS });
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve);
        sent.once('error', (error) => reject(toFault(error, signal)));
        sent.once('timeout', () => {
          reject(new FaultError('timeout', 'The running Sallyport does not answer.'));
          sent.destroy();
        });
        sent.end(body);
      });
      if (answer.headers['content-type'] === 'text/event-stream') return toEvents(answer, sent);
      const isText = !/^application\/(?:problem\+)?json\s*(?:;|$)/.test(answer.headers['content-type'] ?? '');
      if (isText) return { kind: 'text', pieces: readPieces(answer, signal) };
      return { kind: 'whole', status: answer.statusCode ?? 500, text: await readAll(answer, signal) };
    },
    close: () => Promise.resolve(),
  };
}

/** The same API in this process, where no Sallyport runs. */
export function createLocalTransport(
  control: ControlApi,
  { principal, close }: { readonly principal: Principal; close(): Promise<void> },
): ApiTransport {
  return {
    async send({ method, path, query, body }) {
      const contentType = body === undefined ? undefined : 'application/json';
      const bytes = Buffer.from(body ?? '');
      const reply = await control.handle({ method, path, query, principal, contentType, body: bytes });
      if (reply.kind === 'whole') return { kind: 'whole', status: reply.status, text: reply.body };
      if (reply.kind === 'text') return reply;
      return { kind: 'events', follow: (write) => reply.follow(write) };
    },
    close,
  };
}

function toEvents(answer: IncomingMessage, sent: ClientRequest): ApiAnswer {
  return {
    kind: 'events',
    follow(write, ended) {
      let stopped = false;
      // A sign of life comes every 15 seconds; the patience of the request watches over that.
      answer.setEncoding('utf8').on('data', write);
      answer.on('error', () => undefined);
      answer.once('close', () =>
        ended(stopped ? undefined : new FaultError('unreachable', 'The running Sallyport has ended.')),
      );
      return () => {
        stopped = true;
        sent.destroy();
      };
    },
  };
}

async function* readPieces(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) yield piece;
  } catch (error) {
    throw toFault(error, signal);
  }
}

async function readAll(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_ANSWER) throw new FaultError('too_large', `An answer of more than ${MAX_ANSWER} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toFault(error, signal);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toFault(cause: unknown, signal: AbortSignal): FaultError {
  if (cause instanceof FaultError) return cause;
  if (signal.aborted) return new FaultError('cancelled', 'Interrupted.', { cause });
  return new FaultError('unreachable', 'The running Sallyport went away before it had answered.', { cause });
}
