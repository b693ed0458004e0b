import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UpstreamAuth } from '../src/config/upstream-auth.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { fetchJson } from '../src/gateway/auth/fetch-json.ts';
import { createIssuerKeys } from '../src/gateway/auth/issuer-keys.ts';
import { NO_CHALLENGE } from '../src/upstream/auth/challenge.ts';
import { discover } from '../src/upstream/auth/discovery.ts';
import { createGuardedFetch, type GuardedFetch, type Resolve } from '../src/upstream/auth/guarded-fetch.ts';
import { findClient } from '../src/upstream/auth/registration.ts';
import { requestTokens } from '../src/upstream/auth/token-request.ts';

/** Whoever connects is counted, over IPv4 and IPv6, whatever name they had for us. */
let connections = 0;
const sink = createServer((socket) => {
  connections++;
  socket.on('error', () => {});
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}', () => socket.destroySoon());
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => sink.listen(0, '::', resolve));
  const address = sink.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => new Promise<void>((resolve) => sink.close(() => resolve())));
beforeEach(() => {
  connections = 0;
});

/** Ways to write an address inside. */
const INSIDE = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
  ],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['169.254.169.254', '0xa9fea9fe', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '100.100.100.200'],
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '[fe80::1]', '[fc00::1]', '198.18.0.1', '100.64.0.1'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost', '①②⑦.0.0.1', hostname()],
];

const AUTH = { clientId: 'sallyport', issuer: undefined, dcr: true, dpop: 'auto' } as unknown as UpstreamAuth;
const UPSTREAM = 'https://files.example.com/mcp';
const OUTSIDE = { loopback: false, private: false };
/** Names of the test lead where the test says, all others where the machine says. */
const toInside: Resolve = (host, _, callback) =>
  callback(null, [{ address: host.endsWith('.inside.test') ? '127.0.0.1' : '::1', family: 4 }]);

/** Every place in which a server's word is an address, as a request that follows it. */
const PLACES: readonly [string, (address: string, fetch: GuardedFetch) => Promise<unknown>][] = [
  [
    'resource_metadata of a challenge',
    (address, fetch) =>
      discover({ url: UPSTREAM, auth: AUTH, challenge: { ...NO_CHALLENGE, resourceMetadata: address }, fetch }),
  ],
  [
    'authorization_servers of the resource',
    (address, fetch) =>
      discover({
        url: UPSTREAM,
        auth: AUTH,
        challenge: NO_CHALLENGE,
        fetch: async (url, init) =>
          url.includes('oauth-protected-resource')
            ? Response.json({ resource: UPSTREAM, authorization_servers: [address] })
            : fetch(url, init),
      }),
  ],
  [
    'registration_endpoint',
    (address, fetch) =>
      findClient({
        upstream: 'files',
        auth: { ...AUTH, clientId: undefined },
        server: { issuer: 'https://login.example.com', registration_endpoint: address },
        redirectUri: 'http://127.0.0.1:7412/callback',
        vault: { get: async () => undefined } as never,
        fetch,
        now: Date.now(),
      }),
  ],
  [
    'token_endpoint',
    (address, fetch) =>
      requestTokens(
        {
          server: { issuer: 'https://login.example.com', token_endpoint: address },
          client: { clientId: 'sallyport', source: 'configured', secret: undefined, method: 'none' },
          auth: AUTH,
          resource: UPSTREAM,
          scopes: undefined,
          readSecret: async () => '',
          fetch,
          now: Date.now(),
          proofKey: undefined,
        },
        { kind: 'refresh', refreshToken: 'the-only-one' },
      ),
  ],
];

describe.each(PLACES)('%s', (_, follow) => {
  test.each(INSIDE)('%s: nobody connects', async (host) => {
    for (const scheme of ['http', 'https'])
      await expect(follow(`${scheme}://${host}:${port}/x`, createGuardedFetch(OUTSIDE))).rejects.toThrow();
    expect(connections).toBe(0);
  });

  test('a name that leads inside: nobody connects', async () => {
    const fetch = createGuardedFetch(OUTSIDE, toInside);
    await expect(follow(`https://a.inside.test:${port}/x`, fetch)).rejects.toThrow();
    expect(connections).toBe(0);
  });

  test('a name that leads inside and outside: nobody connects', async () => {
    const both: Resolve = (_host, _options, callback) =>
      callback(null, [
        { address: '8.8.8.8', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    await expect(follow(`https://both.test:${port}/x`, createGuardedFetch(OUTSIDE, both))).rejects.toThrow();
    expect(connections).toBe(0);
  });

  test('a name that leads elsewhere when it is asked again is not asked again', async () => {
    let asked = 0;
    const flip: Resolve = (_host, _options, callback) => {
      asked++;
      // Nothing answers there, and it counts as an address of the Internet.
      callback(null, [{ address: asked === 1 ? '11.0.0.1' : '127.0.0.1', family: 4 }]);
    };
    const late = AbortSignal.timeout(300);
    const guarded = createGuardedFetch(OUTSIDE, flip);
    await expect(
      follow(`https://flip.test:${port}/x`, (url, init) => guarded(url, { ...init, signal: late })),
    ).rejects.toThrow();
    expect(asked).toBe(1);
    expect(connections).toBe(0);
  });
});

describe('keys of an issuer in front', () => {
  test.each(INSIDE)('jwks_uri at %s: nobody connects', async (host) => {
    for (const scheme of ['http', 'https']) {
      const keys = createIssuerKeys(
        {
          issuer: 'https://login.example.com',
          jwksUri: `${scheme}://${host}:${port}/jwks`,
          privateNetwork: false,
        } as never,
        { fetchJson, clock: systemClock, log: silentLog },
      );
      await expect(keys.find('x')).rejects.toMatchObject({ code: 'overloaded' });
    }
    expect(connections).toBe(0);
  });
});

test('the sink counts, so that nought means something', async () => {
  await createGuardedFetch({ loopback: true, private: false })(`http://127.0.0.1:${port}/`);
  await createGuardedFetch({ loopback: true, private: false })(`http://localhost:${port}/`);
  expect(connections).toBe(2);
});
