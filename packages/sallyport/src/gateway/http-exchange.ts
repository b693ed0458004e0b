import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '../core/endpoint.ts';
import type { Principal } from '../core/principal.ts';

/** What the endpoints need of an HTTP request, whether Node's server read it or the fast path. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The connection it came over: with TLS it may have a certificate. */
  readonly socket?: Socket | undefined;
}

/** What the endpoints need of an HTTP response; `node:http`'s has all of it. */
export interface HttpResponse {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  /** Bytes the client has not taken yet. */
  readonly writableLength: number;
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): Pick<HttpResponse, 'end'>;
  flushHeaders(): void;
  write(text: string, encoding: 'latin1', taken?: () => void): boolean;
  end(body?: string | Buffer): unknown;
  end(body: string, encoding: 'latin1'): unknown;
  destroy(): unknown;
  /** The connection is gone, with the response or without it. */
  on(event: 'close', listener: () => void): unknown;
}

/** One exchange whose caller is known. */
export interface HttpExchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
}
