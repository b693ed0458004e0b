import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FaultError } from '../../core/errors.ts';

/** Waits on loopback for the browser to bring the answer of one sign-in (RFC 8252 section 7.3). */
export interface RedirectListener {
  readonly redirectUri: string;
  /** The parameters of the one answer that knows `state`. Others are refused and change nothing. */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  /** Idempotent. */
  close(): Promise<void>;
}

const PATH = '/callback';
const MAX_QUERY = 8192;
/** For the page that says that it is done. */
const LINGER_MS = 500;
const PAGE = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/** @throws FaultError `config` when the port is taken. */
export async function openRedirectListener(port: number): Promise<RedirectListener> {
  let expected: { readonly state: string; readonly take: (answer: URLSearchParams) => void } | undefined;
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const say = (status: number, text: string) =>
      response.writeHead(status, PAGE).end(`<!doctype html><title>Sallyport</title><p>${text}</p>\n`);
    const { url = '', method, headers } = request;
    // Another name for this address means a web page reached it by rebinding.
    const isOurs = headers.host === `127.0.0.1:${toPort(server.address())}` && URL.canParse(url, 'http://127.0.0.1');
    if (!isOurs || method !== 'GET' || url.length > MAX_QUERY) {
      say(400, 'Nothing here.');
      return;
    }
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const [state, ...more] = searchParams.getAll('state');
    if (pathname !== PATH || state === undefined || more.length > 0 || !isSame(state, expected?.state)) {
      say(400, 'This is not the answer Sallyport waits for. Start again with "sallyport login".');
      return;
    }
    const { take } = expected ?? {};
    expected = undefined;
    say(200, 'Sallyport has the answer. You can close this page and go back to the terminal.');
    take?.(searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new FaultError(
          'config',
          `Port ${port} of this machine cannot take the answer of a sign-in (${error.code ?? 'unknown'}). Free it, or set auth.redirectPort.`,
        ),
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve());
  });
  let closed: Promise<void> | undefined;
  return {
    redirectUri: `http://127.0.0.1:${toPort(server.address())}${PATH}`,
    wait: (state, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => reject(new FaultError('timeout', 'The sign-in was not finished in the browser.'));
        if (signal.aborted) {
          stop();
          return;
        }
        signal.addEventListener('abort', stop, { once: true });
        expected = {
          state,
          take: (answer) => {
            signal.removeEventListener('abort', stop);
            resolve(answer);
          },
        };
      }),
    close() {
      closed ??= new Promise((resolve) => {
        // Browsers open connections in advance, and a silent one would hold up the end of the sign-in.
        const late = setTimeout(() => server.closeAllConnections(), LINGER_MS);
        server.close(() => {
          clearTimeout(late);
          resolve();
        });
        server.closeIdleConnections();
      });
      return closed;
    },
  };
}

function toPort(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function isSame(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
