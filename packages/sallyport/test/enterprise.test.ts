import { expect, test } from 'vitest';
import { openCredentials } from '../src/call/open-credentials.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { fetchIdJag } from '../src/upstream/auth/id-jag.ts';
import { toAuthTarget } from '../src/upstream/auth/surroundings.ts';
import { atTheEnd } from './at-the-end.ts';
import { EnterpriseClient } from './enterprise-client.ts';
import {
  type GrantServer,
  type IdentityProvider,
  startGrantServer,
  startIdentityProvider,
} from './enterprise-servers.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { type Jwt, NonceWanted, ProofChecker, readJwt, thumbprintOf } from './proof-check.ts';
import { newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { signInWith } from './sign-in-with.ts';
import { waitFor } from './wait-for.ts';

const SECRETS = { SSO_SECRET: 'sso-secret', FILES_SECRET: 'files-secret' };

interface GuardedOptions {
  /** Tokens must be bound to a key; with this nonce in each proof. */
  readonly nonce?: string | undefined;
  readonly bound?: boolean;
}

/** An upstream that takes tokens of `server` for itself, and checks proofs where it wants them. */
async function startGuarded(server: GrantServer, { bound = false, nonce }: GuardedOptions = {}) {
  const people: unknown[] = [];
  const shown: string[] = [];
  const bytes: string[] = [];
  const proofs = new ProofChecker();
  const upstream = await startHttpUpstream({
    behave: (message, response, request) => {
      bytes.push(JSON.stringify([message, request.url, request.rawHeaders]));
      const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
      const refuse = (error: string) => {
        response.writeHead(401, { 'www-authenticate': `${bound ? 'DPoP' : 'Bearer'} error="${error}"` }).end();
        return true;
      };
      if (nonce !== undefined) response.setHeader('dpop-nonce', nonce);
      try {
        const { claims } = readJwt(token, server.key);
        const { aud, iss, sub, cnf } = claims;
        if (aud !== upstream.url || iss !== server.issuer) return refuse('invalid_token');
        if (bound) {
          const facts = { method: 'POST', url: upstream.url, token, ...(nonce === undefined ? {} : { nonce }) };
          const jkt = proofs.check(request.headers['dpop'] as string | undefined, facts);
          if ((cnf as { jkt?: string })?.jkt !== jkt || scheme !== 'DPoP') return refuse('invalid_token');
        }
        people.push(sub);
        shown.push(`${scheme} ${token}`);
        return false;
      } catch (error) {
        return refuse(error instanceof NonceWanted ? 'use_dpop_nonce' : 'invalid_token');
      }
    },
  });
  return { url: upstream.url, calls: upstream.calls, people, shown, bytes, proofs };
}

function toAuth(idp: IdentityProvider, server: GrantServer, more: Record<string, unknown> = {}) {
  const client = { clientId: 'sallyport-files', clientSecretRef: 'env:FILES_SECRET', issuer: server.issuer };
  const own = { issuer: idp.issuer, clientId: 'sallyport-sso', clientSecretRef: 'env:SSO_SECRET' };
  return { type: 'enterprise', ...client, idp: own, redirectPort: 0, ...more };
}

async function call(gateway: RunningGateway, name = 'files_echo'): Promise<string> {
  const client = new PlainClient(gateway);
  await client.initialize();
  return JSON.stringify(await client.request('tools/call', { name, arguments: {} }));
}

test('a person signs in once at the identity provider, for every upstream behind it, over a restart too', async () => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const files = await startGuarded(server);
  const mail = await startGuarded(server);
  const auth = toAuth(idp, server, { scopes: ['files:read'] });
  const config = { mcpServers: { files: { url: files.url, auth }, mail: { url: mail.url, auth } } };
  const gateway = await startGateway(config, [], SECRETS);
  expect(await call(gateway)).toMatch(/wants a person to sign in|a person has to sign in again/);
  expect(server.heard).toEqual([]);
  const signedIn = await signInWith(gateway, 'files', { env: SECRETS });
  expect({ code: signedIn.code, ...JSON.parse(signedIn.stdout) }).toMatchObject({ code: 0, issuer: idp.issuer });
  await gateway.process.logged(/list changed/);
  await waitFor(async () => expect(await call(gateway)).toContain('echo done'));
  const again = await startGateway(config, [], { ...SECRETS, SALLYPORT_STATE: gateway.process.stateDir });
  expect(await call(again, 'mail_echo')).toContain('echo done');
  expect(new Set([...files.people, ...mail.people])).toEqual(new Set(['ada']));
  const exchange = idp.heard.find((form) => form.get('resource') === files.url);
  expect(Object.fromEntries(exchange ?? [])).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: server.issuer,
    resource: files.url,
    scope: 'files:read',
  });
  // Each access token came of a grant of its own.
  expect(server.taken.size).toBe(server.heard.length);
  // Neither the ID token nor the key a caller came with is in a byte that an upstream or its server got.
  const idToken = exchange?.get('subject_token') ?? '';
  expect(idToken.length).toBeGreaterThan(50);
  const everything = [...files.bytes, ...mail.bytes, ...server.heard.map(String)].join();
  for (const secret of [idToken, gateway.key ?? '', again.key ?? '']) expect(everything).not.toContain(secret);
  expect(idp.heard.map(String).join()).not.toContain(gateway.key);
});

test.each<[string, (grant: Jwt, answer: Record<string, unknown>) => void]>([
  ['for another authorization server', ({ claims }) => Object.assign(claims, { aud: 'https://evil.test' })],
  [
    'for two authorization servers',
    ({ claims }) => Object.assign(claims, { aud: [claims['aud'], 'https://evil.test'] }),
  ],
  ['of another issuer', ({ claims }) => Object.assign(claims, { iss: 'https://evil.test' })],
  ['of another kind', ({ header }) => Object.assign(header, { typ: 'JWT' })],
  ['without a kind', ({ header }) => Object.assign(header, { typ: undefined })],
  ['for another client', ({ claims }) => Object.assign(claims, { client_id: 'somebody' })],
  ['for another resource', ({ claims }) => Object.assign(claims, { resource: 'https://evil.test/mcp' })],
  ['for nobody', ({ claims }) => Object.assign(claims, { sub: undefined })],
  ['that cannot be told from another', ({ claims }) => Object.assign(claims, { jti: undefined })],
  ['that has ended', ({ claims }) => Object.assign(claims, { exp: Math.floor(Date.now() / 1000) - 120 })],
  ['without an end', ({ claims }) => Object.assign(claims, { exp: undefined })],
  ['that is called an access token', (_, answer) => Object.assign(answer, { token_type: 'Bearer' })],
  [
    'that is an ID token',
    (_, answer) => Object.assign(answer, { issued_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
  ],
  ['that is no JWT', (_, answer) => Object.assign(answer, { access_token: 'opaque' })],
])('a grant %s is handed to nobody', async (_, bend) => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const env = { ...SECRETS, ID_TOKEN: idp.idToken('ada') };
  const auth = toAuth(idp, server, { tokens: 'shared' });
  const written = { ...auth, idp: { ...auth.idp, assertionRef: 'env:ID_TOKEN' } };
  const text = JSON.stringify({ mcpServers: { files: { url: 'http://127.0.0.1:9/mcp', auth: written } } });
  const stateDir = newTestFolder();
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 }).servers.get('files');
  if (settings === undefined) throw new Error('no settings');
  const opened = openCredentials({ stateDir, keyRef: () => undefined, env, clock: systemClock, log: silentLog });
  atTheEnd(() => opened.close());
  const target = toAuthTarget(settings);
  const discovered = { server: { issuer: server.issuer }, resource: target.url, scopes: undefined };
  const ask = () =>
    fetchIdJag({
      ...{ target, owner: 'shared', ports: opened.ports, scopes: undefined },
      discovered: { ...discovered, isAssumed: false, dpop: undefined },
    });
  // As it comes from an honest provider it is good.
  expect((await ask()).split('.')).toHaveLength(3);
  idp.bend = bend;
  await expect(ask()).rejects.toMatchObject({
    code: 'upstream_protocol',
    message: expect.stringMatching(/It is not handed on|answered the request for a token in a way that is none/),
  });
});

test('who signs in for a caller of the same identity provider must be that caller', async () => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const files = await startGuarded(server);
  const gateway = await startGateway(
    { mcpServers: { files: { url: files.url, auth: toAuth(idp, server) } } },
    [],
    SECRETS,
  );
  idp.person = 'eve';
  const wrong = await signInWith(gateway, 'files', { env: SECRETS, principal: `oauth:${idp.issuer}#ada` });
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain('another one than the caller');
  idp.person = 'ada';
  expect(await signInWith(gateway, 'files', { env: SECRETS, principal: `oauth:${idp.issuer}#ada` })).toMatchObject({
    code: 0,
  });
  // It is hers, and not of the person at this machine.
  expect(await call(gateway)).toMatch(/wants a person to sign in|a person has to sign in again/);
  expect(server.heard).toEqual([]);
});

test('an identity that has ended is renewed once for all who wait; one that cannot be wants a person', async () => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const [files, mail] = [await startGuarded(server), await startGuarded(server)];
  const auth = toAuth(idp, server);
  const config = { mcpServers: { files: { url: files.url, auth }, mail: { url: mail.url, auth } } };
  const gateway = await startGateway(config, [], SECRETS);
  // Shorter than the margin: old at once. Only the first one, since the gateway is woken before the sign-in has ended.
  let issued = 0;
  Object.defineProperty(idp, 'lifetime', { get: () => (issued++ === 0 ? 20 : 300) });
  expect(await signInWith(gateway, 'files', { env: SECRETS })).toMatchObject({ code: 0 });
  await gateway.process.logged(/list changed/);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => call(gateway, index % 2 === 0 ? 'files_echo' : 'mail_echo')),
  );
  for (const answer of answers) expect(answer).toContain('echo done');
  const renewals = idp.heard.filter((form) => form.get('grant_type') === 'refresh_token');
  expect(renewals).toHaveLength(1);
});

test.each([
  ['without nonces', undefined, undefined],
  ['with nonces of both servers', 'nonce-of-the-as', 'nonce-of-the-rs'],
])('tokens bound to a key, %s: a proof per request, and never as Bearer', async (_, asNonce, rsNonce) => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  server.nonce = asNonce;
  const files = await startGuarded(server, { bound: true, nonce: rsNonce });
  const auth = toAuth(idp, server);
  const gateway = await startGateway({ mcpServers: { files: { url: files.url, auth } } }, [], SECRETS);
  expect(await signInWith(gateway, 'files', { env: SECRETS })).toMatchObject({ code: 0 });
  await gateway.process.logged(/list changed/);
  const before = files.proofs.seen.size;
  for (let i = 0; i < 5; i++) expect(await call(gateway)).toContain('echo done');
  expect(files.proofs.seen.size).toBeGreaterThanOrEqual(before + 5);
  expect(files.shown.every((one) => one.startsWith('DPoP '))).toBe(true);
  expect(gateway.process.stderr).not.toContain(files.shown[0]?.slice(5, 60));
});

test('two upstreams of one authorization server get tokens of two keys: nothing tells them that they serve one person', async () => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const one = await startGuarded(server, { bound: true });
  const two = await startGuarded(server, { bound: true });
  const auth = toAuth(idp, server, { dpop: 'always' });
  const config = { mcpServers: { files: { url: one.url, auth }, mail: { url: two.url, auth } } };
  const gateway = await startGateway(config, [], SECRETS);
  expect(await signInWith(gateway, 'files', { env: SECRETS })).toMatchObject({ code: 0 });
  await gateway.process.logged(/list changed/);
  expect(await call(gateway)).toContain('echo done');
  expect(await call(gateway, 'mail_echo')).toContain('echo done');
  const keyOf = (shown: readonly string[]) =>
    (readJwt(shown[0]?.slice('DPoP '.length) ?? '').claims['cnf'] as { jkt: string }).jkt;
  expect(keyOf(one.shown)).not.toBe(keyOf(two.shown));
});

test('in front: the token a client got for its ID-JAG is taken; the ID-JAG and the ID token are not', async () => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const upstream = await startHttpUpstream();
  const gateway = await startGateway({
    gateway: { auth: { keys: false, oauth: { issuers: [{ issuer: server.issuer }] } } },
    mcpServers: { files: { url: upstream.url } },
  });
  const endpoint = gateway.url;
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', endpoint);
  const described = (await (await fetch(metadata)).json()) as Record<string, unknown>;
  expect(described).toMatchObject({ resource: endpoint, authorization_servers: [server.issuer] });
  const client = new EnterpriseClient(idp, server);
  const status = async (authorization: string, more: Record<string, string> = {}) => {
    const reply = await fetch(endpoint, {
      method: 'POST',
      headers: {
        ...{ authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...more,
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    await reply.text();
    return { status: reply.status, challenge: reply.headers.get('www-authenticate') ?? '' };
  };
  const grant = await client.grantFor(endpoint);
  const token = await client.redeem(grant);
  expect((await status(`Bearer ${token}`)).status).not.toBe(401);
  const elsewhere = await client.redeem(await client.grantFor('https://other.test/mcp'));
  expect(elsewhere).not.toBe('');
  for (const wrong of [grant, client.idToken, elsewhere])
    expect(await status(`Bearer ${wrong}`)).toMatchObject({
      status: 401,
      challenge: expect.stringMatching(/^Bearer /),
    });
  // A grant is good once.
  expect(await client.redeem(grant)).toBe('');
  // The same bound to a key.
  const bound = await client.redeem(await client.grantFor(endpoint), { bound: true });
  expect((readJwt(bound).claims['cnf'] as { jkt: string }).jkt).toBe(thumbprintOf(client.jwk));
  const proof = client.prove(endpoint, bound);
  expect((await status(`DPoP ${bound}`, { dpop: proof })).status).not.toBe(401);
  expect(await status(`DPoP ${bound}`, { dpop: proof })).toMatchObject({
    status: 401,
    challenge: expect.stringMatching(/^DPoP .*invalid_dpop_proof.*algs="ES256/),
  });
  expect((await status(`Bearer ${bound}`, { dpop: client.prove(endpoint, bound) })).status).toBe(401);
  expect((await status(`DPoP ${token}`, { dpop: client.prove(endpoint, token) })).status).toBe(401);
  expect((await status(`DPoP ${bound}`)).status).toBe(401);
});
