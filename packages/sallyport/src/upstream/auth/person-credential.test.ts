import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { loadSnapshot } from '../../config/load-snapshot.ts';
import type { JsonObject } from '../../core/json.ts';
import { silentLog } from '../../core/log.ts';
import type { TokenVault } from '../../core/upstream-tokens.ts';
import { PersonCredential } from './person-credential.ts';
import { toAuthTarget } from './surroundings.ts';
import { type Tokens, toTokensRecord } from './tokens.ts';

const REQUEST = { method: 'POST', url: 'https://files.test/mcp' };

let issuer = '';
let forms: URLSearchParams[] = [];
let meanwhile = () => {};
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  forms.push(new URLSearchParams(body));
  meanwhile();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"access_token":"renewed","refresh_token":"next","token_type":"Bearer","expires_in":3600}');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(
  () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
);
beforeEach(() => {
  forms = [];
  meanwhile = () => {};
});

function setUp(auth: Record<string, unknown>, change: Partial<Tokens> = {}) {
  let row: { value: JsonObject; version: number } | undefined;
  let now = 1_000_000_000;
  const put = (value: JsonObject) => {
    row = { value, version: (row?.version ?? 0) + 1 };
  };
  const vault: TokenVault = {
    get: async (slot) => (slot.kind === 'tokens' ? row : undefined),
    async put(slot, value, version) {
      if (slot.kind !== 'tokens') return true;
      if (version !== undefined && version !== (row?.version ?? 0)) return false;
      put(value);
      return true;
    },
    claim: async (_, version) => row?.version === version,
    async release() {},
    async remove() {
      row = undefined;
      return 1;
    },
  };
  const text = JSON.stringify({ mcpServers: { files: { url: `${issuer}/mcp`, auth: { type: 'oauth', ...auth } } } });
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir: '/nowhere', version: 1 }).servers.get(
    'files',
  );
  if (settings === undefined) throw new Error('no settings');
  const tokens: Tokens = {
    ...{
      accessToken: 'kept',
      refreshToken: 'refresh',
      expiresAt: now + 3_600_000,
      scopes: undefined,
      proofKey: undefined,
    },
    ...{ issuer, tokenEndpoint: `${issuer}/token`, resource: `${issuer}/mcp` },
    client: { clientId: 'c', source: 'registered', secret: undefined, method: 'none' },
    ...change,
  };
  put(toTokensRecord(tokens));
  const ports = { vault, readSecret: async () => 'new-secret', clock: { now: () => now }, log: silentLog };
  const credential = new PersonCredential({ target: toAuthTarget(settings), owner: 'local', ports });
  return {
    headers: async () => credential.headers(REQUEST),
    put: (more: Partial<Tokens>) => put(toTokensRecord({ ...tokens, ...more })),
    signOut: () => {
      row = undefined;
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test('who signed out elsewhere is out within a minute, though the token would be good for longer', async () => {
  const { headers, signOut, pass } = setUp({});
  expect(await headers()).toEqual({ authorization: 'Bearer kept' });
  signOut();
  pass(60_000);
  expect(await headers()).toEqual({});
});

test.each<[string, (change: ReturnType<typeof setUp>) => void, Record<string, string>]>([
  ['in anew counts', ({ put }) => put({ accessToken: 'newer' }), { authorization: 'Bearer newer' }],
  ['out counts', ({ signOut }) => signOut(), {}],
])('who signs %s while the old token is renewed', async (_, change, expected) => {
  const opened = setUp({}, { expiresAt: 1 });
  meanwhile = () => change(opened);
  const first = opened.headers();
  if (Object.keys(expected).length > 0) expect(await first).toEqual(expected);
  else await expect(first).rejects.toMatchObject({ code: 'upstream_unauthenticated' });
  meanwhile = () => {};
  expect(forms).toHaveLength(1);
});

test.each<[string, Record<string, unknown>, Partial<Tokens>]>([
  ['another authorization server', { clientId: 'c', issuer: 'https://other.test', clientSecretRef: 'env:S' }, {}],
  [
    'another client',
    { clientId: 'd', clientSecretRef: 'env:S' },
    { client: { clientId: 'c', source: 'configured', secret: undefined, method: 'client_secret_post' } },
  ],
  [
    'a client that is configured no more',
    {},
    { client: { clientId: 'c', source: 'configured', secret: undefined, method: 'none' } },
  ],
])('a sign-in from the time of %s is none: nothing is shown to whoever it was with', async (_, auth, change) => {
  const own = auth['clientId'] === undefined ? auth : { issuer, ...auth };
  const { headers } = setUp(own, { expiresAt: 1, ...change });
  expect(await headers()).toEqual({});
  expect(forms).toEqual([]);
});

test('a renewal gives up before another process may begin one', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const { headers } = setUp({}, { expiresAt: 1 });
  await headers();
  const limits = timeout.mock.calls.map(([milliseconds]) => milliseconds);
  timeout.mockRestore();
  expect(limits.some((milliseconds) => milliseconds > 17_000 && milliseconds < 20_000)).toBe(true);
});
