import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openCredentials } from '../src/call/open-credentials.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { KEY_HOLDER, type Principal } from '../src/core/principal.ts';
import type { Credential } from '../src/upstream/auth/credential.ts';
import { toIdentityRecord, toIdentitySlot } from '../src/upstream/auth/identity.ts';
import { toAuthTarget } from '../src/upstream/auth/surroundings.ts';
import { atTheEnd } from './at-the-end.ts';
import { readJwt, signJwt } from './proof-check.ts';
import { newTestFolder } from './running-sallyport.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const REQUEST = { method: 'POST', url: 'https://files.test/mcp' };

/** An authorization server that issues what the test says, and what it was asked. */
let issuer = '';
let asked: URLSearchParams[] = [];
let proofs: string[] = [];
let answer: Record<string, unknown> = {};
/** What it issues as an identity provider. */
let exchanged: Record<string, unknown> = {};
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const isToken = request.url === '/token';
    if (isToken) asked.push(new URLSearchParams(body));
    if (isToken) proofs.push(String(request.headers['dpop'] ?? ''));
    const metadata = { issuer, token_endpoint: `${issuer}/token`, dpop_signing_alg_values_supported: ['ES256'] };
    const found = request.url === '/.well-known/oauth-authorization-server';
    response.writeHead(isToken || found ? 200 : 404, { 'content-type': 'application/json' });
    const isExchange = body.includes(encodeURIComponent('token-type:id-jag'));
    response.end(JSON.stringify(isToken ? (isExchange ? exchanged : answer) : found ? metadata : {}));
  });
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
  asked = [];
  proofs = [];
  answer = { access_token: 'issued', token_type: 'Bearer', expires_in: 300 };
});

function create(
  auth: Record<string, unknown>,
  env: Record<string, string>,
  principal: Principal = KEY_HOLDER,
): Credential {
  const own = { clientId: 'sallyport', issuer, ...auth };
  const text = JSON.stringify({ mcpServers: { files: { url: `${issuer}/mcp`, auth: own } } });
  const stateDir = newTestFolder();
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 }).servers.get('files');
  if (settings === undefined) throw new Error('no settings');
  const opened = openCredentials({ stateDir, keyRef: () => undefined, env, clock: systemClock, log: silentLog });
  atTheEnd(() => opened.close());
  return opened.create(settings, principal);
}

function workload(claims: Record<string, unknown>): Record<string, string> {
  return { JWT: signJwt({ header: {}, claims: { sub: 'workload', ...claims } }, privateKey) };
}

const WORKLOAD = { type: 'workload_identity', assertionRef: 'env:JWT' };

test.each<[string, () => Record<string, unknown>]>([
  ['for nobody', () => ({})],
  ['for somebody else', () => ({ aud: 'https://evil.test' })],
  ['for others', () => ({ aud: ['https://evil.test', 'https://other.test'] })],
  ['for a name that only begins alike', () => ({ aud: `${issuer}.evil.test` })],
  ['for a number', () => ({ aud: 1 })],
])('a workload’s assertion %s is not sent', async (_, claims) => {
  const credential = create(WORKLOAD, workload(claims()));
  await expect((async () => credential.headers(REQUEST))()).rejects.toMatchObject({ code: 'config' });
  expect(asked).toEqual([]);
});

test('an assertion that is no JWT is not sent, and not shown', async () => {
  const credential = create(WORKLOAD, { JWT: 'hunter2' });
  const fault = await (async () => credential.headers(REQUEST))().catch((error: unknown) => error);
  expect(String(fault)).not.toContain('hunter2');
  expect(asked).toEqual([]);
});

test.each<[string, () => Record<string, unknown>, Record<string, unknown>]>([
  ['for the issuer', () => ({ aud: issuer }), {}],
  ['for the issuer with a slash', () => ({ aud: `${issuer}/` }), {}],
  ['for several, one of them right', () => ({ aud: ['https://other.test', issuer] }), {}],
  ['for the audience of the configuration', () => ({ aud: 'api://exchange' }), { audience: 'api://exchange' }],
])('a workload’s assertion %s is the grant', async (_, claims, more) => {
  const env = workload(claims());
  const credential = create({ ...WORKLOAD, ...more }, env);
  expect(await credential.headers(REQUEST)).toEqual({ authorization: 'Bearer issued' });
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: env['JWT'],
    client_id: 'sallyport',
    resource: `${issuer}/mcp`,
  });
});

const MACHINE = { type: 'client_credentials', clientSecretRef: 'env:SECRET' };
const SECRET = { SECRET: 'secret-of-the-client' };

test.each<[string, string, Record<string, unknown>]>([
  ['a token bound to nothing, where only bound ones are used', 'always', { token_type: 'Bearer' }],
  ['a bound token nobody asked for', 'never', { token_type: 'DPoP' }],
  ['a token of a type nobody knows', 'always', { token_type: 'mac' }],
])('%s is not used', async (_, dpop, more) => {
  answer = { ...answer, ...more };
  const credential = create({ ...MACHINE, dpop }, SECRET);
  await expect((async () => credential.headers(REQUEST))()).rejects.toMatchObject({ code: 'upstream_protocol' });
});

test('auto: no proof until the upstream asks for one, then one for the token and one for each request', async () => {
  const credential = create(MACHINE, SECRET);
  const plain = await credential.headers(REQUEST);
  expect(plain).toEqual({ authorization: 'Bearer issued' });
  expect(proofs).toEqual(['']);
  answer = { access_token: 'bound', token_type: 'DPoP', expires_in: 300 };
  const challenge = { resourceMetadata: undefined, scopes: undefined, error: 'invalid_token', dpop: true };
  await credential.refused({ status: 401, challenge, used: plain, attempt: 0 });
  const [one, two] = [await credential.headers(REQUEST), await credential.headers({ ...REQUEST, method: 'GET' })];
  expect([one, two].map(({ authorization }) => authorization)).toEqual(['DPoP bound', 'DPoP bound']);
  const [first, second] = [one, two].map(({ dpop }) => readJwt(dpop ?? '').claims);
  expect(first).toMatchObject({ htm: 'POST', htu: REQUEST.url });
  expect(second).toMatchObject({ htm: 'GET' });
  expect(first?.['jti']).not.toBe(second?.['jti']);
  expect(readJwt(proofs[1] ?? '').header['jwk']).toEqual(readJwt(one['dpop'] ?? '').header['jwk']);
});

test('two principals never share a key', async () => {
  answer = { access_token: 'bound', token_type: 'DPoP', expires_in: 300 };
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const auth = { type: 'token_exchange', privateKeyRef: 'env:KEY', dpop: 'always' };
  const people = ['ada', 'bob'].map((person) => ({ ...KEY_HOLDER, id: `key:${person}`, person }));
  const shown = await Promise.all(
    people.map(async (principal) => create(auth, { KEY: pem }, principal).headers(REQUEST)),
  );
  const keys = shown.map(({ dpop }) => JSON.stringify(readJwt(dpop ?? '').header['jwk']));
  expect(keys[0]).not.toBe(keys[1]);
  expect(asked.map((form) => readJwt(form.get('subject_token') ?? '').claims['sub'])).toEqual(
    expect.arrayContaining(['ada', 'bob']),
  );
});

test('a query is in no proof, and neither is the private key', async () => {
  answer = { access_token: 'bound', token_type: 'DPoP', expires_in: 300 };
  const credential = create({ ...MACHINE, dpop: 'always' }, SECRET);
  const { dpop = '' } = await credential.headers({ method: 'POST', url: 'https://files.test/mcp?key=secret#x' });
  expect(readJwt(dpop).claims['htu']).toBe('https://files.test/mcp');
  expect(readJwt(dpop).header['jwk']).not.toHaveProperty('d');
  // A nonce that could not be one is not taken.
  credential.noteNonce?.('https://files.test/mcp', 'a\r\nb');
  const next = await credential.headers(REQUEST);
  expect(readJwt(next['dpop'] ?? '').claims['nonce']).toBeUndefined();
  credential.noteNonce?.('https://files.test/mcp', 'good');
  expect(readJwt((await credential.headers(REQUEST))['dpop'] ?? '').claims['nonce']).toBe('good');
  // It is that origin's, and no other one's.
  const other = await credential.headers({ method: 'POST', url: 'https://other.test/mcp' });
  expect(readJwt(other['dpop'] ?? '').claims['nonce']).toBeUndefined();
});

test('one call that wants more than is granted takes nothing from the others', async () => {
  const credential = create(MACHINE, SECRET);
  const good = await credential.headers(REQUEST);
  answer = { error: 'invalid_scope' };
  const challenge = { resourceMetadata: undefined, scopes: ['admin'], error: 'insufficient_scope', dpop: false };
  await expect(credential.refused({ status: 403, challenge, used: good, attempt: 0 })).rejects.toThrow();
  expect(await credential.headers(REQUEST)).toEqual(good);
});

test('who signed out at the identity provider’s is out within a minute, though the token would be good for longer', async () => {
  let now = Date.now();
  const idp = { issuer, clientId: 'sso', clientSecretRef: 'env:SECRET' };
  const auth = { type: 'enterprise', clientId: 'sallyport', clientSecretRef: 'env:SECRET', issuer, idp };
  const text = JSON.stringify({ mcpServers: { files: { url: `${issuer}/mcp`, auth } } });
  const stateDir = newTestFolder();
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 }).servers.get('files');
  if (settings === undefined) throw new Error('no settings');
  const clock = { now: () => now };
  const opened = openCredentials({ stateDir, keyRef: () => undefined, env: SECRET, clock, log: silentLog });
  atTheEnd(() => opened.close());
  const slot = toIdentitySlot(toAuthTarget(settings), 'local');
  const identity = { idToken: 'id-token', subject: 'ada', refreshToken: undefined, expiresAt: now + 3_600_000 };
  await opened.ports.vault.put(slot, toIdentityRecord(identity), undefined);
  const exp = Math.floor(now / 1000) + 300;
  const claims = { iss: issuer, sub: 'ada', aud: issuer, client_id: 'sallyport', jti: '1', exp };
  exchanged = {
    access_token: signJwt({ header: { typ: 'oauth-id-jag+jwt' }, claims }, privateKey),
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    token_type: 'N_A',
  };
  answer = { ...answer, expires_in: 3600 };
  const credential = opened.create(settings, KEY_HOLDER);
  expect(await credential.headers(REQUEST)).toEqual({ authorization: 'Bearer issued' });
  now += 60_000;
  expect(await credential.headers(REQUEST)).toEqual({ authorization: 'Bearer issued' });
  expect(asked).toHaveLength(2);
  await opened.ports.vault.remove(slot);
  now += 60_000;
  await expect((async () => credential.headers(REQUEST))()).rejects.toMatchObject({ code: 'upstream_unauthenticated' });
});
