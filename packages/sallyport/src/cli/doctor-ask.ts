import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { FaultError } from '../core/errors.ts';

/** A raw HTTP answer, as far as it tells what answers. */
export interface Reply {
  readonly method: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most 64 KiB; of an event stream the first event with data. */
  readonly body: string;
  /** False: the answer began and did not come to its end in time. */
  readonly complete: boolean;
}

export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const MAX_BODY = 64 * 1024;

/**
 * One HTTP request over a connection of its own, with nothing done to the answer.
 * @throws FaultError `timeout` when no answer begins in time; the error of the socket or parser as it is.
 */
export function askHttp(url: URL, { method, headers, body, waitMs, signal }: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain;
    const sent = send(url, {
      method,
      agent: false,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body ?? '') },
    });
    let reply: IncomingMessage | undefined;
    let text = '';
    const end = (complete: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
      if (reply === undefined) reject(new FaultError('timeout', 'No HTTP answer came.'));
      else resolve({ method, status: reply.statusCode ?? 0, headers: reply.headers, body: text, complete });
      sent.destroy();
    };
    const late = (): void => end(false);
    const timer = setTimeout(late, waitMs);
    signal.addEventListener('abort', late, { once: true });
    sent.on('error', (error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
      // Whatever came before the connection broke is more telling than that it broke.
      if (reply !== undefined) end(false);
      else reject(error);
    });
    sent.once('response', (response) => {
      reply = response;
      const streaming = isEventStream(response.headers);
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length >= MAX_BODY || (streaming && holdsEvent(text))) end(true);
      });
      response.once('end', () => end(true));
      response.on('error', () => end(false));
    });
    sent.end(body);
  });
}

function holdsEvent(text: string): boolean {
  const at = text.search(/^data:/m);
  return at >= 0 && /\r?\n\r?\n/.test(text.slice(at));
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream');
}
