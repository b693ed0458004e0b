import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openCredentials } from '../src/call/open-credentials.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { login } from '../src/upstream/auth/login.ts';
import { toAuthTarget } from '../src/upstream/auth/surroundings.ts';
import { atTheEnd } from './at-the-end.ts';
import { newTestFolder } from './running-sallyport.ts';

export interface Heard {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** What a path answers: a document, or the whole answer. */
export type Said = Record<string, unknown> | { readonly status: number; readonly headers?: Record<string, string> };

export interface SmallServer {
  readonly origin: string;
  readonly heard: Heard[];
  /** By path without query; what is not there is 404. Looked up with each request. */
  readonly says: Map<string, Said>;
}

/** A server in this process that says what a test wants it to. */
export async function startSmallServer(): Promise<SmallServer> {
  const heard: Heard[] = [];
  const says = new Map<string, Said>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      heard.push({ path, body, headers: request.headers });
      const said = says.get(path.replace(/\?.*$/, ''));
      const isWhole = said !== undefined && typeof said['status'] === 'number';
      const { status, headers = {} } = isWhole ? (said as { status: number; headers?: object }) : { status: 200 };
      response.writeHead(said === undefined ? 404 : status, { 'content-type': 'application/json', ...headers });
      response.end(isWhole || said === undefined ? '{}' : JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, says };
}

/** The metadata of an honest authorization server at this origin. */
export function honestMetadata(origin: string): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

const METADATA = '/.well-known/oauth-authorization-server';

/** An authorization server that keeps to the rules, but for what a test changes. */
export async function startIssuer(
  change: (origin: string) => Record<string, unknown> = () => ({}),
): Promise<SmallServer> {
  const server = await startSmallServer();
  const { origin, says } = server;
  says.set(METADATA, { ...honestMetadata(origin), ...change(origin) });
  says.set('/register', { client_id: `client-of-${new URL(origin).port}` });
  says.set('/token', { access_token: `token-of-${new URL(origin).port}`, token_type: 'Bearer', expires_in: 300 });
  return server;
}

/** A protected server that names this authorization server. */
export async function startProtected(issuer: string): Promise<SmallServer> {
  const server = await startSmallServer();
  server.says.set('/mcp', { status: 401 });
  pointAt(server, issuer);
  return server;
}

export function pointAt({ origin, says }: SmallServer, issuer: string): void {
  says.set('/.well-known/oauth-protected-resource/mcp', {
    resource: `${origin}/mcp`,
    authorization_servers: [issuer],
    scopes_supported: ['files:read'],
  });
}

export interface SignIn {
  readonly auth?: Record<string, unknown>;
  /** Tokens and registrations are kept here; left out, in a new folder. */
  readonly stateDir?: string;
  /** What the browser brings back; `undefined`: it never comes back. */
  readonly answer?: (
    url: URL,
  ) => Promise<Record<string, string> | URL | undefined> | Record<string, string> | undefined;
}

/** Signs a person in at a server, in this process, and returns the tokens and the address that was shown. */
export async function signInAt(server: string, { auth = {}, stateDir = newTestFolder(), answer }: SignIn = {}) {
  const text = JSON.stringify({
    mcpServers: { files: { url: server, auth: { type: 'oauth', redirectPort: 0, ...auth } } },
  });
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 }).servers.get('files');
  if (settings === undefined) throw new Error('no settings');
  const credentials = openCredentials({
    stateDir,
    keyRef: () => undefined,
    env: {},
    clock: systemClock,
    log: silentLog,
  });
  const ended = new AbortController();
  const shown: URL[] = [];
  const show = async (url: URL) => {
    shown.push(url);
    const { searchParams } = url;
    const state = searchParams.get('state') ?? '';
    const brought = answer === undefined ? { code: 'c', state } : await answer(url);
    if (brought === undefined) ended.abort();
    else if (!(brought instanceof URL))
      await fetch(`${searchParams.get('redirect_uri')}?${new URLSearchParams({ state, ...brought })}`);
  };
  try {
    const { ports } = credentials;
    const tokens = await login({ target: toAuthTarget(settings), owner: 'local', ports, show, signal: ended.signal });
    return { tokens, shown };
  } finally {
    await credentials.close();
  }
}
