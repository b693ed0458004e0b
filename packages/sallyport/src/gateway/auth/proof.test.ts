import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OAuthSettings } from '../../config/auth-settings.ts';
import { FaultError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import type { Principal } from '../../core/principal.ts';
import { type Callers, createCallers } from './callers.ts';
import { createProofCheck } from './proof.ts';

const ISSUER = 'https://login.example.com';
const ENDPOINT = 'https://mcp.example.com/mcp';
const START = 1_800_000_000;

const issuer = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const own = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
let ownJwk: JWK;
let thumbprint: string;
let otherJwk: JWK;
beforeAll(async () => {
  ownJwk = await exportJWK(own.publicKey);
  otherJwk = await exportJWK(other.publicKey);
  thumbprint = await calculateJwkThumbprint(ownJwk);
});

interface World {
  readonly callers: Callers;
  now: number;
}

function openWorld(dpop: OAuthSettings['dpop'] = 'accepted'): World {
  const oauth: OAuthSettings = {
    publicUrl: 'https://mcp.example.com',
    issuers: [
      {
        issuer: ISSUER,
        audience: [],
        jwksUri: `${ISSUER}/jwks`,
        scopesClaim: 'scope',
        groupsClaim: undefined,
        personClaim: 'sub',
        attributes: {},
        privateNetwork: false,
      },
    ],
    requiredScopes: [],
    impliedScopes: {},
    dpop,
  };
  const callers = createCallers(
    { keys: true, oauth, mtls: undefined },
    {
      laptopKey: 'sp_laptop',
      keys: undefined,
      clock: { now: () => world.now },
      log: silentLog,
      fetchJson: async () => ({ keys: [{ ...(await exportJWK(issuer.publicKey)), kid: 'ec' }] }) as never,
    },
  );
  callers.listensAt(['http://127.0.0.1:7411']);
  const world: World = { callers, now: START * 1_000 };
  return world;
}

function token(cnf: unknown = { jkt: thumbprint }, more: Record<string, unknown> = {}): Promise<string> {
  const claims = { iss: ISSUER, sub: 'alice', aud: ENDPOINT, exp: START + 3_000, client_id: 'claude', ...more };
  return new SignJWT(cnf === null ? claims : { ...claims, cnf })
    .setProtectedHeader({ alg: 'ES256', kid: 'ec', typ: 'at+jwt' })
    .sign(issuer.privateKey);
}

interface Change {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: typeof own.privateKey;
}

/** What a client that follows RFC 9449 sends, with changes; `undefined` takes a member out. */
function prove(access: string, { claims = {}, header = {}, key = own.privateKey }: Change = {}): Promise<string> {
  const ath = createHash('sha256').update(access).digest('base64url');
  const payload = { jti: randomUUID(), htm: 'POST', htu: ENDPOINT, iat: START, ath, ...claims };
  const protectedHeader = { alg: 'ES256', typ: 'dpop+jwt', jwk: ownJwk, ...header };
  return new SignJWT(JSON.parse(JSON.stringify(payload)) as Record<string, unknown>)
    .setProtectedHeader(protectedHeader as { alg: string })
    .sign(key);
}

interface Asked {
  readonly scheme?: string;
  readonly method?: string;
  readonly url?: string;
  readonly host?: string;
}

async function ask(
  { callers }: World,
  access: string,
  proof: string | string[] | undefined,
  { scheme = 'DPoP', method = 'POST', url = '/mcp', host = 'mcp.example.com' }: Asked = {},
): Promise<Principal> {
  const headers = { authorization: `${scheme} ${access}`, host, ...(proof === undefined ? {} : { dpop: proof }) };
  return callers.authenticate({ method, url, headers: headers as never });
}

/** Each refusal has its reason: one for another reason proves nothing. */
const HEADER = 'The token is bound to a key and needs one DPoP header with a proof of it.';
const METHOD = 'The DPoP proof is for another method.';
const ADDRESS = 'The DPoP proof is for another address.';
const TIME = 'The DPoP proof is too old, or from the future.';
const TOKEN = 'The DPoP proof is for another token.';
const JTI = 'The DPoP proof has no jti that could be remembered.';
const KEY = 'The DPoP proof is made with another key than the token is bound to.';
const UNCHECKED = 'The DPoP proof cannot be checked: its kind, key or signature is not right.';
const USED = 'The DPoP proof was used before.';
const BINDING = 'The token is bound to a proof that is not accepted here.';

async function refusal(asking: Promise<unknown>, message: string): Promise<FaultError> {
  const fault = await asking.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof FaultError)) throw new Error(`it was let in: ${String(fault)}`);
  expect({ code: fault.code, message: fault.message }).toEqual({ code: 'unauthenticated', message });
  return fault;
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('proofs that let nobody in', () => {
  test.each<
    [string, string, (access: string) => Promise<string | string[] | undefined> | string | string[] | undefined]
  >([
    ['none', HEADER, () => undefined],
    ['empty', HEADER, () => ''],
    ['no JWT', HEADER, () => 'hello'],
    ['two of them', HEADER, async (access) => [await prove(access), await prove(access)]],
    ['two joined as one', HEADER, async (access) => `${await prove(access)}, ${await prove(access)}`],
    ['longer than any', HEADER, async (access) => prove(access, { claims: { x: 'x'.repeat(10_000) } })],
    ['another method', METHOD, (access) => prove(access, { claims: { htm: 'GET' } })],
    ['a method in lower case', METHOD, (access) => prove(access, { claims: { htm: 'post' } })],
    [
      'another path',
      ADDRESS,
      (access) => prove(access, { claims: { htu: 'https://mcp.example.com/servers/files/mcp' } }),
    ],
    ['another host', ADDRESS, (access) => prove(access, { claims: { htu: 'https://evil.example.com/mcp' } })],
    ['another scheme', ADDRESS, (access) => prove(access, { claims: { htu: 'http://mcp.example.com/mcp' } })],
    ['another port', ADDRESS, (access) => prove(access, { claims: { htu: 'https://mcp.example.com:8443/mcp' } })],
    [
      'a user name in front of the host',
      ADDRESS,
      (access) => prove(access, { claims: { htu: 'https://mcp.example.com@evil.example/mcp' } }),
    ],
    ['no address', ADDRESS, (access) => prove(access, { claims: { htu: undefined } })],
    ['a list of addresses', ADDRESS, (access) => prove(access, { claims: { htu: [ENDPOINT] } })],
    ['six minutes old', TIME, (access) => prove(access, { claims: { iat: START - 301 } })],
    ['from the future', TIME, (access) => prove(access, { claims: { iat: START + 301 } })],
    ['without a time', TIME, (access) => prove(access, { claims: { iat: undefined } })],
    ['a time in words', UNCHECKED, (access) => prove(access, { claims: { iat: String(START) } })],
    ['expired by its own word', UNCHECKED, (access) => prove(access, { claims: { exp: START - 400 } })],
    ['for another token', TOKEN, async () => prove(await token(null, { sub: 'bob' }))],
    ['for no token', TOKEN, (access) => prove(access, { claims: { ath: undefined } })],
    ['without a jti', JTI, (access) => prove(access, { claims: { jti: undefined } })],
    ['an empty jti', JTI, (access) => prove(access, { claims: { jti: '' } })],
    ['a jti as long as a book', JTI, (access) => prove(access, { claims: { jti: 'j'.repeat(2_000) } })],
    ['another kind of JWT', UNCHECKED, (access) => prove(access, { header: { typ: 'JWT' } })],
    ['no kind', UNCHECKED, (access) => prove(access, { header: { typ: undefined } })],
    [
      'made with a key of one’s own',
      KEY,
      (access) => prove(access, { key: other.privateKey, header: { jwk: otherJwk } }),
    ],
    ['another key’s signature', UNCHECKED, (access) => prove(access, { key: other.privateKey })],
    ['without a key', UNCHECKED, (access) => prove(access, { header: { jwk: undefined } })],
    [
      'signed by nobody',
      HEADER,
      (access) => `${part({ alg: 'none', typ: 'dpop+jwt', jwk: ownJwk })}.${part({ htm: 'POST', ath: access })}.`,
    ],
    [
      'signed by nobody, with something for a signature',
      UNCHECKED,
      (access) => `${part({ alg: 'none', typ: 'dpop+jwt', jwk: ownJwk })}.${part({ htm: 'POST', ath: access })}.AAAA`,
    ],
  ])('%s', async (_, why, make) => {
    const world = openWorld();
    const access = await token();
    const fault = await refusal(ask(world, access, await make(access)), why);
    expect(fault).toMatchObject({ code: 'unauthenticated', data: { error: 'invalid_dpop_proof' } });
    expect(world.callers.challenge(fault, { url: '/mcp', headers: { authorization: `DPoP ${access}` } })).toMatch(
      /^DPoP .*error="invalid_dpop_proof".*resource_metadata="https:\/\/mcp\.example\.com\/.*algs="ES256 /,
    );
  });

  test('a private key in the header, and a secret as key', async () => {
    const world = openWorld();
    const access = await token();
    const whole = { ...(await exportJWK(own.privateKey)) };
    await refusal(ask(world, access, await prove(access, { header: { jwk: whole } })), UNCHECKED);
    const secret = { kty: 'oct', k: Buffer.from('0'.repeat(32)).toString('base64url') };
    const shared = new TextEncoder().encode('0'.repeat(32));
    const forged = await new SignJWT({ htm: 'POST' })
      .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: secret as JWK })
      .sign(shared);
    await refusal(ask(world, access, forged), UNCHECKED);
  });

  test('the same proof a second time, however late it still is in time', async () => {
    const world = openWorld();
    const access = await token();
    const proof = await prove(access, { claims: { iat: START + 290 } });
    await ask(world, access, proof);
    await refusal(ask(world, access, proof), USED);
    for (const later of [1, 300, 580]) {
      world.now = (START + later) * 1_000;
      await refusal(ask(world, access, proof), USED);
    }
    world.now = (START + 591) * 1_000;
    await refusal(ask(world, access, proof), TIME);
  });

  test('a name in Host makes no address of ours', async () => {
    const world = openWorld();
    const access = await token();
    const proof = await prove(access, { claims: { htu: 'https://evil.example/mcp' } });
    await refusal(ask(world, access, proof, { host: 'evil.example' }), ADDRESS);
  });

  test('one key that floods us is told to wait, and nothing of what it sent is forgotten', async () => {
    let now = START * 1_000;
    const check = createProofCheck({ now: () => now }, { all: 10, perKey: 3 });
    const access = await token();
    const proven = { method: 'POST', addresses: [ENDPOINT], token: access, thumbprint };
    const proofs = await Promise.all([1, 2, 3, 4].map(() => prove(access)));
    for (const proof of proofs.slice(0, 3)) await check(proof, proven);
    await expect(check(proofs[3], proven)).rejects.toMatchObject({ code: 'overloaded' });
    for (const proof of proofs.slice(0, 3)) await refusal(check(proof, proven), USED);
    // Another key is not in its way, and after a while neither is it.
    const theirs = { ...proven, thumbprint: await calculateJwkThumbprint(otherJwk) };
    await check(await prove(access, { key: other.privateKey, header: { jwk: otherJwk } }), theirs);
    now += 601_000;
    await check(await prove(access, { claims: { iat: now / 1_000 } }), proven);
  });
});

describe('tokens and schemes that do not fit', () => {
  test('a bound token as Bearer, with its proof or without', async () => {
    const world = openWorld();
    const access = await token();
    for (const proof of [undefined, await prove(access)]) {
      const fault = await refusal(
        ask(world, access, proof, { scheme: 'Bearer' }),
        'The token is bound to a key. Send "Authorization: DPoP <token>" and a proof with each request.',
      );
      expect(world.callers.challenge(fault, { url: '/mcp', headers: {} })).toMatch(/^DPoP .*error="invalid_token"/);
      expect(fault).toMatchObject({ code: 'unauthenticated', data: { error: 'invalid_token' } });
    }
  });

  test('a token bound to nothing as DPoP', async () => {
    const world = openWorld();
    const access = await token(null);
    const why = 'The token is bound to no key; the DPoP scheme needs one.';
    expect(await refusal(ask(world, access, await prove(access)), why)).toMatchObject({
      data: { error: 'invalid_token' },
    });
  });

  test('the laptop’s key as DPoP', async () => {
    const world = openWorld();
    const why = 'Sallyport was given a key that is not its own. Whoever started it has the key.';
    await refusal(ask(world, 'sp_laptop', await prove('sp_laptop')), why);
  });

  test.each([
    ['unknown', { kid: 'x' }],
    ['unknown beside a known one', { jkt: 'x', jku: 'https://evil.test' }],
    ['no text', { jkt: 1 }],
    ['no object', 'x'],
    ['empty', {}],
  ])('a binding that is %s', async (_, cnf) => {
    const world = openWorld();
    const access = await token(cnf);
    for (const scheme of ['DPoP', 'Bearer'])
      await refusal(ask(world, access, await prove(access), { scheme }), BINDING);
  });

  test('bound to key and certificate: the key alone is not enough', async () => {
    const world = openWorld();
    const access = await token({ jkt: thumbprint, 'x5t#S256': 'abc' });
    await refusal(ask(world, access, await prove(access)), 'The token is bound to another client certificate.');
  });

  test('required: no token without a key; keys of the directory go on', async () => {
    const world = openWorld('required');
    const plain = await token(null);
    const why = 'The token is bound to no key. Ask for one with a DPoP proof.';
    const fault = await refusal(ask(world, plain, undefined, { scheme: 'Bearer' }), why);
    expect(world.callers.challenge(fault, { url: '/mcp', headers: {} })).toMatch(/^DPoP /);
    await expect(ask(world, 'sp_laptop', undefined, { scheme: 'Bearer' })).resolves.toMatchObject({ id: 'local' });
    const access = await token();
    await expect(ask(world, access, await prove(access))).resolves.toMatchObject({ person: 'alice' });
  });

  test('refused: no bound token at all, and nothing is said of proofs', async () => {
    const world = openWorld('refused');
    const access = await token();
    const fault = await refusal(ask(world, access, await prove(access)), BINDING);
    expect(world.callers.challenge(fault, { url: '/mcp', headers: { authorization: `DPoP ${access}` } })).toMatch(
      /^Bearer /,
    );
    expect(readMetadata(world)['dpop_signing_alg_values_supported']).toBeUndefined();
  });
});

function readMetadata({ callers }: World): Record<string, unknown> {
  const found = callers.metadata({ method: 'GET', url: '/.well-known/oauth-protected-resource/mcp', headers: {} });
  return JSON.parse(found?.json ?? '{}') as Record<string, unknown>;
}

describe('proofs that let their caller in', () => {
  test.each<[string, (access: string) => Promise<string>, Asked]>([
    ['as the RFC has it', (access) => prove(access), {}],
    ['scheme in lower case', (access) => prove(access), { scheme: 'dpop' }],
    ['five minutes old', (access) => prove(access, { claims: { iat: START - 300 } }), {}],
    ['of a clock five minutes ahead', (access) => prove(access, { claims: { iat: START + 300 } }), {}],
    [
      'host in capitals, default port written',
      (access) => prove(access, { claims: { htu: 'HTTPS://MCP.example.com:443/mcp' } }),
      {},
    ],
    ['query and fragment in htu', (access) => prove(access, { claims: { htu: `${ENDPOINT}?a=1#b` } }), {}],
    ['query in the request', (access) => prove(access), { url: '/mcp?a=1' }],
    ['GET', (access) => prove(access, { claims: { htm: 'GET' } }), { method: 'GET' }],
    ['DELETE', (access) => prove(access, { claims: { htm: 'DELETE' } }), { method: 'DELETE' }],
    ['claims nobody asked for', (access) => prove(access, { claims: { nonce: 'n', extra: { a: 1 } } }), {}],
  ])('%s', async (_, make, asked) => {
    const world = openWorld();
    const access = await token();
    await expect(ask(world, access, await make(access), asked)).resolves.toMatchObject({
      person: 'alice',
      agent: 'claude',
    });
  });

  test('an RSA key', async () => {
    const world = openWorld();
    const jwk = await exportJWK(rsa.publicKey);
    const access = await token({ jkt: await calculateJwkThumbprint(jwk) });
    const proof = await prove(access, { key: rsa.privateKey, header: { alg: 'PS256', jwk } });
    await expect(ask(world, access, proof)).resolves.toMatchObject({ person: 'alice' });
  });

  test('many requests with one token, each with a proof of its own, and tokens without a key as before', async () => {
    const world = openWorld();
    const access = await token();
    for (let i = 0; i < 20; i++) await ask(world, access, await prove(access));
    const plain = await token(null);
    await expect(ask(world, plain, undefined, { scheme: 'Bearer' })).resolves.toMatchObject({ person: 'alice' });
  });

  test('the metadata says that proofs are taken, and required where they are', () => {
    expect(readMetadata(openWorld())).toMatchObject({
      dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    });
    expect(readMetadata(openWorld())['dpop_bound_access_tokens_required']).toBeUndefined();
    expect(readMetadata(openWorld('required'))).toMatchObject({ dpop_bound_access_tokens_required: true });
  });
});
