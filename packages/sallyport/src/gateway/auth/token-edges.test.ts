import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactEncrypt, exportJWK } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AuthSettings } from '../../config/auth-settings.ts';
import { silentLog } from '../../core/log.ts';
import type { Principal } from '../../core/principal.ts';
import { type Callers, createCallers } from './callers.ts';

/** What a JWT can be bent into (RFC 8725, RFC 7515, RFC 7519; reliability row 22). */

const ISSUER = 'https://login.example.com';
const ENDPOINT = 'https://mcp.example.com/mcp';
const NOW = 1_800_000_000;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
const thief = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const publicJwk = rsa.publicKey.export({ format: 'jwk' });

const CLAIMS = { iss: ISSUER, sub: 'alice', aud: ENDPOINT, client_id: 'claude', exp: NOW + 300 };

let callers: Callers;
let asked: string[];
let keys: Record<string, unknown>[];
beforeEach(async () => {
  asked = [];
  keys = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'k' },
    { ...(await exportJWK(short.publicKey)), kid: 'short' },
    { kty: 'oct', kid: 'oct', k: Buffer.from('shared').toString('base64url') },
    { ...(await exportJWK(thief.publicKey)), kid: 'encryption', use: 'enc' },
    { ...(await exportJWK(thief.publicKey)), kid: 'other', alg: 'PS512' },
  ];
  callers = open();
});

function open(): Callers {
  const settings = {
    keys: false,
    mtls: undefined,
    oauth: {
      publicUrl: 'https://mcp.example.com',
      issuers: [
        {
          issuer: ISSUER,
          audience: ['app-1'],
          jwksUri: `${ISSUER}/jwks`,
          scopesClaim: 'scope',
          groupsClaim: 'groups',
          personClaim: 'sub',
          attributes: {},
          privateNetwork: false,
        },
      ],
      requiredScopes: [],
      impliedScopes: {},
    },
  } as unknown as AuthSettings; // as the configuration makes it, but for what others may have added
  const opened = createCallers(settings, {
    laptopKey: undefined,
    keys: undefined,
    clock: { now: () => NOW * 1_000 },
    log: silentLog,
    fetchJson: async (url) => {
      asked.push(url);
      return { keys } as never;
    },
  });
  opened.listensAt(['http://127.0.0.1:7411']);
  return opened;
}

function ask(token: string): Promise<Principal> {
  const headers = { authorization: `Bearer ${token}` };
  return (async () => callers.authenticate({ method: 'POST', url: '/mcp', headers } as never))();
}

const encode = (text: string) => Buffer.from(text).toString('base64url');
const json = (value: unknown) => encode(JSON.stringify(value));

/** A good RS256 signature over header and payload as they are written. */
function signText(header: string, payload: string, key: KeyObject = rsa.privateKey): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createSign('sha256').update(input).sign(key, 'base64url')}`;
}

const HEADER = { alg: 'RS256', kid: 'k', typ: 'at+jwt' };
const sign = (header: Record<string, unknown> = {}, claims: Record<string, unknown> = {}, key?: KeyObject) =>
  signText(JSON.stringify({ ...HEADER, ...header }), JSON.stringify({ ...CLAIMS, ...claims }), key);

test('the measure of all below is accepted', async () => {
  expect((await ask(sign())).person).toBe('alice');
});

describe('refused', () => {
  test.each<[string, () => string | Promise<string>]>([
    ['alg none', () => `${json({ ...HEADER, alg: 'none' })}.${json(CLAIMS)}.`],
    ['alg nOnE with a signature', () => sign({ alg: 'nOnE' })],
    ['no alg', () => sign({ alg: undefined })],
    ['alg as a list', () => sign({ alg: ['RS256', 'none'] })],
    ['alg HS256 with the public key in PEM', () => hmac(publicPem)],
    ['alg HS256 with the public key in DER', () => hmac(rsa.publicKey.export({ type: 'spki', format: 'der' }))],
    ['alg HS256 with the public key as JWK', () => hmac(JSON.stringify({ ...publicJwk, kid: 'k' }))],
    ['alg HS256 with a shared key from the list', () => hmac('shared', 'oct')],
    ['an RSA key that is too short', () => sign({ kid: 'short' }, {}, short.privateKey)],
    ['a key that is for encryption', () => sign({ kid: 'encryption' }, {}, thief.privateKey)],
    ['a key that is for another algorithm', () => sign({ kid: 'other' }, {}, thief.privateKey)],
    ['a key of its own as jwk', () => sign({ kid: undefined, jwk: jwkOf(thief.publicKey) }, {}, thief.privateKey)],
    ['a key of its own as jwk, under our key id', () => sign({ jwk: jwkOf(thief.publicKey) }, {}, thief.privateKey)],
    ['an address of keys as jku', () => sign({ jku: 'https://evil.example/jwks' }, {}, thief.privateKey)],
    ['an address of certificates as x5u', () => sign({ x5u: 'https://evil.example/cert' }, {}, thief.privateKey)],
    ['certificates as x5c', () => sign({ x5c: ['MIIB'] }, {}, thief.privateKey)],
    ['a key id that is a path', () => sign({ kid: '../../../../dev/null' })],
    ['a key id that is SQL', () => sign({ kid: "k' or '1'='1" })],
    ['a key id that every object has', () => sign({ kid: 'constructor' })],
    ['a key id that is a list', () => sign({ kid: ['k'] })],
    ['something critical nobody knows', () => sign({ crit: ['x-must'], 'x-must': 1 })],
    ['something critical that is not there', () => sign({ crit: ['exp'] })],
    ['an empty crit', () => sign({ crit: [] })],
    ['a payload that is not encoded', () => sign({ b64: false, crit: ['b64'] })],
    ['the kind of an ID token of a logout', () => sign({ typ: 'logout+jwt' })],
    ['the kind of a DPoP proof', () => sign({ typ: 'dpop+jwt' })],
    ['the kind of an identity assertion', () => sign({ typ: 'oauth-id-jag+jwt' })],
    ['the kind secevent+jwt', () => sign({ typ: 'secevent+jwt' })],
    ['a kind that is no text', () => sign({ typ: 7 })],
    ['a token within the token', () => signText(JSON.stringify({ ...HEADER, cty: 'JWT' }), sign())],
    ['an encrypted token', () => encrypted()],
    ['the same claim twice', () => signText(JSON.stringify(HEADER), twice('"sub":"alice","sub":"root"'))],
    ['the same audience claim twice', () => signText(JSON.stringify(HEADER), twice(`"aud":"x","aud":"${ENDPOINT}"`))],
    ['the same claim twice, once escaped', () => signText(JSON.stringify(HEADER), twice('"sub":"a","s\\u0075b":"b"'))],
    ['the same claim twice further in', () => signText(JSON.stringify(HEADER), twice('"act":{"sub":"a","sub":"b"}'))],
    ['the same header twice', () => signText('{"alg":"RS256","kid":"x","kid":"k"}', JSON.stringify(CLAIMS))],
    ['a payload that is a list', () => signText(JSON.stringify(HEADER), '[]')],
    ['a payload that is no JSON', () => signText(JSON.stringify(HEADER), 'x')],
    ['a payload nested a thousand deep', () => sign({}, { x: nested(1_000) })],
    ['an end that is no number', () => sign({}, { exp: '1900000000' })],
    ['an end that is beyond all numbers', () => signText(JSON.stringify(HEADER), twice('"exp":1e400'))],
    ['an end before the beginning of time', () => sign({}, { exp: -1 })],
    ['an issuer that is a list', () => sign({}, { iss: [ISSUER] })],
    ['an issuer in capitals', () => sign({}, { iss: ISSUER.toUpperCase() })],
    ['an issuer with a port that changes nothing', () => sign({}, { iss: `${ISSUER}:443` })],
    ['17,000 characters', () => sign({}, { x: 'x'.repeat(13_000) })],
    ['a million characters', () => `${'a'.repeat(1_000_000)}.b.c`],
    ['two parts', () => sign().split('.').slice(0, 2).join('.')],
    ['four parts', () => `${sign()}.x`],
    ['padding', () => sign().replace('.', '=.')],
    [
      'characters of the other alphabet',
      () => sign().replace(/\.[^.]*$/, (part) => part.replaceAll('_', '/').replaceAll('-', '+').concat('+')),
    ],
    ['an empty signature', () => sign().replace(/[^.]*$/, '')],
    ['the payload of another token under this signature', () => swapped()],
    ['one bit of the signature changed', () => flipped()],
  ])('%s', async (_, make) => {
    await expect(ask(await make())).rejects.toMatchObject({
      code: expect.stringMatching(/^(unauthenticated|invalid_request)$/),
    });
    // Wherever the token points: nobody but the issuer is asked, and the issuer once.
    expect(asked.filter((url) => url !== `${ISSUER}/jwks`)).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(1);
  });
});

describe('an ID token is no access token, also where no scope is required', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
    ['for this endpoint', { nonce: 'n' }],
    ['for this endpoint, with scopes', { at_hash: 'x', scope: 'openid' }],
    ['of the kind at+jwt', { c_hash: 'x' }, { typ: 'at+jwt' }],
    ['of no kind', { nonce: 'n' }, { typ: undefined }],
    ['for a client that the operator wrote down as audience', { aud: 'app-1', azp: 'app-1', client_id: undefined }],
  ])('%s', async (_, claims, header = { typ: 'JWT' }) => {
    await expect(ask(sign(header, claims))).rejects.toMatchObject({
      code: 'unauthenticated',
      data: { error: 'invalid_token' },
      message: 'This is an ID token and no access token.',
    });
  });

  test('the access token beside it is', async () => {
    for (const claims of [{ aud: 'app-1', azp: 'app-1', scope: 'openid' }, { auth_time: NOW }, {}])
      expect((await ask(sign({ typ: 'JWT' }, claims))).person).toBe('alice');
  });
});

describe('accepted, and what points elsewhere is not looked at', () => {
  test.each<[string, Record<string, unknown>]>([
    ['jku', { jku: 'https://evil.example/jwks' }],
    ['x5u', { x5u: 'https://evil.example/cert' }],
    ['jwk', { jwk: jwkOf(thief.publicKey) }],
    ['an unknown header', { 'x-more': 1 }],
    ['no kind', { typ: undefined }],
  ])('%s', async (_, header) => {
    expect((await ask(sign(header))).person).toBe('alice');
    expect(asked).toEqual([`${ISSUER}/jwks`]);
  });

  test('no key id, where one key only can be meant', async () => {
    await expect(ask(sign({ kid: undefined }))).rejects.toMatchObject({ code: 'unauthenticated' });
    keys = keys.slice(0, 1);
    callers = open();
    expect((await ask(sign({ kid: undefined }))).person).toBe('alice');
  });

  test('keys of other issuers prove nothing here', async () => {
    keys = [{ ...(await exportJWK(thief.publicKey)), kid: 'k' }];
    await expect(ask(sign())).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('a private key in the list is no public one', async () => {
    keys = [{ ...rsa.privateKey.export({ format: 'jwk' }), kid: 'k' }];
    await expect(ask(sign())).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

function hmac(secret: string | Buffer, kid = 'k'): string {
  const input = `${json({ alg: 'HS256', kid, typ: 'at+jwt' })}.${json(CLAIMS)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function jwkOf(key: KeyObject): object {
  return key.export({ format: 'jwk' });
}

function encrypted(): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(CLAIMS)))
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'k' })
    .encrypt(rsa.publicKey);
}

/** The claims as text, with this text for those it names. */
function twice(text: string): string {
  const rest = Object.entries(CLAIMS).filter(([name]) => !text.startsWith(`"${name}"`));
  return `{${text},${rest.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join()}}`;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function swapped(): string {
  const [header, , signature] = sign().split('.');
  return `${header}.${json({ ...CLAIMS, sub: 'root' })}.${signature}`;
}

function flipped(): string {
  const token = sign();
  const bytes = Buffer.from(token.split('.')[2] ?? '', 'base64url');
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  return `${token.slice(0, token.lastIndexOf('.'))}.${bytes.toString('base64url')}`;
}
