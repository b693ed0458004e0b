import { createHash, createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { AuthSettings, OAuthSettings } from '../../config/auth-settings.ts';
import { FaultError } from '../../core/errors.ts';
import type { ApiKey, KeyDirectory } from '../../core/key-directory.ts';
import { silentLog } from '../../core/log.ts';
import { ANYONE, KEY_HOLDER, type Principal } from '../../core/principal.ts';
import { type Callers, createCallers } from './callers.ts';

const ISSUER = 'https://login.example.com';
const ORIGIN = 'https://mcp.example.com';
const ENDPOINT = `${ORIGIN}/mcp`;
const START = 1_800_000_000;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

const oauth: OAuthSettings = {
  publicUrl: ORIGIN,
  issuers: [
    {
      issuer: ISSUER,
      audience: [],
      jwksUri: `${ISSUER}/jwks`,
      scopesClaim: 'scope',
      groupsClaim: 'groups',
      personClaim: 'sub',
      attributes: { tenant: 'org.id' },
      privateNetwork: false,
    },
  ],
  requiredScopes: ['mcp:use'],
  impliedScopes: { 'mcp:admin': ['mcp:use'] },
  dpop: 'accepted',
};

interface World {
  readonly callers: Callers;
  now: number;
  fetches: number;
  isDown: boolean;
  readonly keys: Map<string, ApiKey>;
  version: number;
  readonly logged: object[];
}

/** A gateway without a listener: the clock and the issuer are the test's. */
function openWorld(change: Partial<AuthSettings> = {}, changeOAuth: Partial<OAuthSettings> = {}): World {
  const keys = new Map<string, ApiKey>();
  const directory: KeyDirectory = {
    get version() {
      return world.version;
    },
    find: (digest) => keys.get(digest),
    used() {},
  };
  const settings: AuthSettings = { keys: true, oauth: { ...oauth, ...changeOAuth }, mtls: undefined, ...change };
  const callers = createCallers(settings, {
    laptopKey: 'sp_laptop',
    keys: directory,
    clock: { now: () => world.now },
    log: { ...silentLog, info: (fields: object) => void world.logged.push(fields) },
    async fetchJson() {
      world.fetches++;
      if (world.isDown) throw new FaultError('unreachable', 'down');
      const [one, two] = await Promise.all([exportJWK(rsa.publicKey), exportJWK(ec.publicKey)]);
      return {
        keys: [
          { ...one, kid: 'rsa' },
          { ...two, kid: 'ec' },
        ],
      } as never;
    },
  });
  callers.listensAt(['http://127.0.0.1:7411']);
  const world: World = { callers, now: START * 1_000, fetches: 0, isDown: false, keys, version: 1, logged: [] };
  return world;
}

const GOOD = {
  iss: ISSUER,
  sub: 'alice',
  aud: ENDPOINT,
  client_id: 'claude',
  scope: 'mcp:use files:read',
  exp: START + 300,
  iat: START,
} as const;

function sign(
  claims: Record<string, unknown> = {},
  { alg = 'RS256', kid = 'rsa', typ = 'at+jwt', key = rsa.privateKey as KeyObject } = {},
): Promise<string> {
  return new SignJWT({ ...GOOD, ...claims }).setProtectedHeader({ alg: alg as 'RS256', kid, typ }).sign(key);
}

/** Claims as they are, `undefined` left out. */
function ask(world: World, token: string, url = '/mcp'): Promise<Principal> {
  return (async () => world.callers.authenticate({ url, headers: { authorization: `Bearer ${token}` } }))();
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function forge(header: Record<string, unknown>, signature: (input: string) => string): string {
  const input = `${part(header)}.${part(GOOD)}`;
  return `${input}.${signature(input)}`;
}

describe('tokens that are refused', () => {
  const invalid = { code: 'unauthenticated', data: { error: 'invalid_token' } };
  const hmac = (secret: string) => (input: string) => createHmac('sha256', secret).update(input).digest('base64url');

  test.each<[string, () => Promise<string> | string]>([
    ['for another resource', () => sign({ aud: 'https://other.example.com/mcp' })],
    ['for another endpoint of ours', () => sign({ aud: `${ORIGIN}/servers/files/mcp` })],
    ['for our origin, in general', () => sign({ aud: ORIGIN })],
    ['for the client itself, as ID tokens are', () => sign({ aud: 'claude' })],
    ['for nobody', () => sign({ aud: undefined })],
    ['for an audience that is no text', () => sign({ aud: { 0: ENDPOINT } })],
    ['with a fragment in its audience', () => sign({ aud: `${ENDPOINT}#x` })],
    ['from another issuer', () => sign({ iss: 'https://evil.example.com' })],
    ['from an issuer with a slash more', () => sign({ iss: `${ISSUER}/` })],
    ['from no issuer', () => sign({ iss: undefined })],
    ['with alg none', () => forge({ alg: 'none', typ: 'at+jwt' }, () => '')],
    ['with alg None', () => forge({ alg: 'None', typ: 'at+jwt' }, () => 'AAAA')],
    ['with HS256 and the RSA public key', () => forge({ alg: 'HS256', typ: 'at+jwt', kid: 'rsa' }, hmac(rsaPem))],
    [
      'with a key of its own in the header',
      async () => forge({ alg: 'RS256', jwk: await exportJWK(stranger.publicKey) }, () => 'AAAA'),
    ],
    ['signed by a stranger', () => sign({}, { key: stranger.privateKey })],
    ['signed with the other key', () => sign({}, { alg: 'ES256', kid: 'rsa', key: ec.privateKey })],
    ['with a key id nobody has', () => sign({}, { kid: 'unknown' })],
    ['of the kind logout+jwt', () => sign({}, { typ: 'logout+jwt' })],
    ['of the kind dpop+jwt', () => sign({}, { typ: 'dpop+jwt' })],
    ['expired by 61 s', () => sign({ exp: START - 61 })],
    ['that never ends', () => sign({ exp: undefined })],
    ['whose end is no number', () => sign({ exp: `${START + 60}` })],
    ['not valid for another 61 s', () => sign({ nbf: START + 61 })],
    ['without a subject and client', () => sign({ sub: undefined, client_id: undefined })],
    ['with control characters in its subject', () => sign({ sub: 'alice\nkey:admin' })],
    ['with an actor that cannot be read', () => sign({ act: { sub: 'a', act: 'b' } })],
    [
      'with nine actors',
      () => sign({ act: Array.from({ length: 9 }).reduce((act: unknown) => ({ sub: 'a', act }), undefined) }),
    ],
    ['bound to a DPoP key', () => sign({ cnf: { jkt: 'abc' } })],
    ['bound to a certificate that is not there', () => sign({ cnf: { 'x5t#S256': 'abc' } })],
    ['with its last letter changed', async () => (await sign()).replace(/.{4}$/, 'AAAA')],
    ['longer than 16 KB', () => sign({ groups: ['x'.repeat(20_000)] })],
    ['that is no token', () => 'a.b.c'],
    ['that is no key', () => 'sp_nobody'],
  ])('%s', async (_, make) => {
    const world = openWorld();
    await expect(ask(world, await make())).rejects.toMatchObject(invalid);
  });

  test('with too few scopes: 403 with all that are needed', async () => {
    const world = openWorld({}, { requiredScopes: ['mcp:use', 'mcp:tools'] });
    const fault = await ask(world, await sign()).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'forbidden' });
    expect(world.logged).toMatchObject([{ path: '/mcp', wanted: 'mcp:use mcp:tools', has: 'mcp:use files:read' }]);
    expect(world.callers.challenge(fault as FaultError, { url: '/mcp', headers: {} })).toBe(
      `Bearer realm="sallyport", error="insufficient_scope", error_description="This needs the scopes mcp:use mcp:tools. Ask for a token with all of them.", scope="mcp:use mcp:tools", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  test('in the address', () => {
    const { callers } = openWorld();
    const headers = { authorization: 'Bearer sp_laptop' };
    for (const url of ['/mcp?access_token=x', '/mcp?a=b&access_token=x'])
      expect(() => callers.authenticate({ url, headers })).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
  });

  test.each([
    [undefined, 'unauthenticated'],
    ['', 'unauthenticated'],
    ['Bearer', 'unauthenticated'],
    ['Basic sp_laptop', 'unauthenticated'],
    ['sp_laptop', 'unauthenticated'],
    ['Bearer sp_wrong', 'unauthenticated'],
    ['Bearer sp_laptop2', 'unauthenticated'],
    ['Bearer sp_laptop, Bearer x', 'invalid_request'],
    ['Bearer "sp_laptop"', 'invalid_request'],
  ])('a header %j', (authorization, code) => {
    expect(() => openWorld().callers.authenticate({ url: '/mcp', headers: { authorization } })).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe('tokens that are accepted', () => {
  test('say person, agent, groups, scopes, attributes, actors and their end', async () => {
    const world = openWorld();
    const token = await sign({ groups: ['dev'], org: { id: 'acme' }, act: { sub: 'planner', act: { sub: 'chat' } } });
    expect(await ask(world, token)).toEqual({
      id: `oauth:${ISSUER}#alice`,
      kind: 'oauth',
      person: 'alice',
      agent: 'claude',
      account: undefined,
      actors: ['planner', 'chat'],
      groups: ['dev'],
      scopes: ['mcp:use', 'files:read'],
      attributes: { tenant: 'acme' },
      expiresAt: (START + 361) * 1_000,
    });
  });

  test.each<[string, unknown, unknown]>([
    ['a list', ['acme', 'globex'], { tenant: ['acme', 'globex'] }],
    ['a list of one', ['acme'], { tenant: ['acme'] }],
    ['numbers', [7, 'x'], { tenant: ['7', 'x'] }],
    [
      'what cannot be a value among others',
      ['acme', '', null, { a: 1 }, 'a\u200bb', 'x'.repeat(2_000)],
      { tenant: ['acme', ''] },
    ],
    ['an object', { a: 1 }, {}],
    ['nothing', null, {}],
    ['more than anybody has', Array.from({ length: 1_001 }, () => 'x'), {}],
  ])('bring attributes from a claim that is %s', async (_, id, attributes) => {
    expect(await ask(openWorld(), await sign({ org: { id } }))).toMatchObject({ attributes });
    expect(Object.keys((await ask(openWorld(), await sign({ org: { id } }))).attributes ?? {})).toEqual(
      Object.keys(attributes as object),
    );
  });

  test('of a client itself are a system account, and no person', async () => {
    expect(await ask(openWorld(), await sign({ sub: 'claude' }))).toMatchObject({
      person: undefined,
      agent: 'claude',
      account: 'claude',
    });
  });

  test.each<[string, Record<string, unknown>, Parameters<typeof sign>[1]?]>([
    ['with ES256', {}, { alg: 'ES256', kid: 'ec', key: ec.privateKey }],
    ['with PS256', {}, { alg: 'PS256' }],
    ['of the kind JWT', {}, { typ: 'JWT' }],
    ['of the kind application/at+jwt', {}, { typ: 'application/at+jwt' }],
    ['expired by 60 s', { exp: START - 60 }],
    ['valid in 60 s', { nbf: START + 60 }],
    ['for several resources', { aud: ['https://a.example.com', ENDPOINT] }],
    ['for us in capitals, with a slash', { aud: 'HTTPS://MCP.Example.com/mcp/' }],
    ['with a scope that implies the one needed', { scope: 'mcp:admin' }],
    ['with scopes as a list', { scope: undefined, scp: ['mcp:use'] }],
  ])('%s', async (_, claims, options) => {
    expect((await ask(openWorld(), await sign(claims, options))).person).toBe('alice');
  });

  test('for one endpoint count there and nowhere else, also when they are remembered', async () => {
    const world = openWorld();
    const token = await sign({ aud: `${ORIGIN}/servers/files/mcp` });
    expect((await ask(world, token, '/servers/files/mcp')).person).toBe('alice');
    for (const url of ['/mcp', '/servers/mail/mcp', '/servers/files/sse', '/mcp?/servers/files/mcp'])
      await expect(ask(world, token, url)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await ask(world, token, '/servers/files/mcp')).person).toBe('alice');
  });

  test('for HTTP+SSE count for its messages', async () => {
    const world = openWorld();
    expect((await ask(world, await sign({ aud: `${ORIGIN}/sse` }), '/message?sessionId=x')).person).toBe('alice');
  });

  test('with the audience the operator wrote down count everywhere', async () => {
    const [issuer] = oauth.issuers;
    const world = openWorld({}, { issuers: [{ ...(issuer as never as object), audience: ['api://tools'] } as never] });
    expect((await ask(world, await sign({ aud: 'api://tools' }), '/servers/mail/mcp')).person).toBe('alice');
  });

  test('bring no groups from an issuer whose groups nobody asked for', async () => {
    const [issuer] = oauth.issuers;
    const world = openWorld({}, { issuers: [{ ...(issuer as never as object), groupsClaim: undefined } as never] });
    expect((await ask(world, await sign({ groups: ['admin'] }))).groups).toEqual([]);
  });

  test('are remembered without a promise until they end', async () => {
    const world = openWorld();
    const token = await sign();
    const principal = await ask(world, token);
    const headers = { authorization: `Bearer ${token}` };
    expect(world.callers.authenticate({ url: '/mcp', headers })).toBe(principal);
    world.now = (START + 360) * 1_000 + 999;
    expect(world.callers.authenticate({ url: '/mcp', headers })).toBe(principal);
    expect(world.callers.isCurrent(principal)).toBe(true);
    world.now = (START + 361) * 1_000;
    expect(world.callers.isCurrent(principal)).toBe(false);
    await expect(ask(world, token)).rejects.toMatchObject({ message: 'The token has expired.' });
  });
});

describe('the keys of an issuer', () => {
  test('are asked for once, whatever key ids come', async () => {
    const world = openWorld();
    await ask(world, await sign());
    for (let i = 0; i < 50; i++)
      await expect(ask(world, await sign({}, { kid: `flood-${i}` }))).rejects.toMatchObject({
        code: 'unauthenticated',
      });
    expect(world.fetches).toBe(1);
    world.now += 30_000;
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) =>
        ask(world, await sign({}, { kid: `again-${i}` })).catch(() => undefined),
      ),
    );
    expect(world.fetches).toBe(2);
  });

  test('serve for a day while the issuer is down, and are not asked for more than twice a minute', async () => {
    const world = openWorld();
    await ask(world, await sign());
    world.isDown = true;
    for (let minute = 1; minute <= 60; minute++) {
      world.now += 60_000;
      const now = world.now / 1_000;
      expect((await ask(world, await sign({ iat: now, exp: now + 60 }))).person).toBe('alice');
    }
    expect(world.fetches).toBeLessThanOrEqual(61);
    world.now += 86_400_000;
    const now = world.now / 1_000;
    await expect(ask(world, await sign({ exp: now + 60 }))).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('that were never read refuse everybody, with a reason to come back', async () => {
    const world = openWorld();
    world.isDown = true;
    await expect(ask(world, await sign())).rejects.toMatchObject({ code: 'overloaded' });
    await expect(ask(world, await sign({ jti: '2' }))).rejects.toMatchObject({ code: 'overloaded' });
    expect(world.fetches).toBe(1);
    world.isDown = false;
    world.now += 30_000;
    expect((await ask(world, await sign({ jti: '3' }))).person).toBe('alice');
  });
});

describe('keys', () => {
  const key: ApiKey = {
    id: 'k1',
    name: 'ci',
    person: undefined,
    account: 'build',
    groups: ['ci'],
    scopes: undefined,
    attributes: { tenant: 'acme' },
    createdAt: 0,
    expiresAt: (START + 10) * 1_000,
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  const digest = createHash('sha256').update('sp_ci').digest('hex');

  test('of the laptop', () => {
    const { callers } = openWorld({ oauth: undefined });
    for (const authorization of ['Bearer sp_laptop', 'bearer sp_laptop', 'Bearer  sp_laptop '])
      expect(callers.authenticate({ headers: { authorization } })).toBe(KEY_HOLDER);
    expect(callers.isCurrent(KEY_HOLDER)).toBe(true);
    expect(
      callers.metadata({ method: 'GET', url: '/.well-known/oauth-protected-resource', headers: {} }),
    ).toBeUndefined();
  });

  test('stand for who they were made for, until revoked or expired', async () => {
    const world = openWorld();
    world.keys.set(digest, key);
    const principal = await ask(world, 'sp_ci');
    expect(principal).toMatchObject({ id: 'key:k1', kind: 'key', agent: 'ci', account: 'build', groups: ['ci'] });
    world.version++;
    expect(await ask(world, 'sp_ci')).toBe(principal);
    world.keys.clear();
    world.version++;
    await expect(ask(world, 'sp_ci')).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(world.callers.isCurrent(principal)).toBe(false);
    world.keys.set(digest, key);
    world.version++;
    await ask(world, 'sp_ci');
    world.now = key.expiresAt ?? 0;
    await expect(ask(world, 'sp_ci')).rejects.toMatchObject({ message: expect.stringContaining('expired') });
  });

  test('are refused where they are off', async () => {
    const world = openWorld({ keys: false });
    world.keys.set(digest, key);
    for (const text of ['sp_ci', 'sp_laptop'])
      await expect(ask(world, text)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('and nobody at all is asked where authentication is off', () => {
    const ports = { laptopKey: undefined, keys: undefined, clock: { now: () => 0 }, log: silentLog };
    expect(createCallers('none', ports).authenticate({ headers: {} })).toBe(ANYONE);
  });
});
