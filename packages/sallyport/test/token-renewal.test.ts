import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCredentials } from '../src/call/open-credentials.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import type { CredentialHeaders } from '../src/upstream/auth/credential.ts';
import { PersonCredential } from '../src/upstream/auth/person-credential.ts';
import { createProofKey } from '../src/upstream/auth/proof-key.ts';
import { type AuthTarget, toAuthTarget, toTokenSlot } from '../src/upstream/auth/surroundings.ts';
import { type Tokens, toTokensRecord } from '../src/upstream/auth/tokens.ts';
import { atTheEnd } from './at-the-end.ts';
import { readJwt } from './proof-check.ts';
import { newTestFolder } from './running-sallyport.ts';

const REQUEST = { method: 'POST', url: 'https://files.test/mcp' };

/** A token endpoint that rotates: each refresh token is good once, and a second use ends the whole sign-in. */
async function startTokenEndpoint() {
  const state = {
    url: '',
    refreshes: 0,
    good: 'refresh-0',
    /** Answered instead, when set. */
    error: undefined as string | undefined,
    proofs: [] as (string | undefined)[],
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const given = new URLSearchParams(body).get('refresh_token');
      state.proofs.push(request.headers['dpop'] as string | undefined);
      const send = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (state.error !== undefined) return send(400, { error: state.error });
      if (given !== state.good) {
        state.good = randomUUID();
        return send(400, { error: 'invalid_grant' });
      }
      state.refreshes++;
      state.good = `refresh-${state.refreshes}`;
      const type = request.headers['dpop'] === undefined ? 'Bearer' : 'DPoP';
      const tokens = { access_token: `access-${state.refreshes}`, refresh_token: state.good };
      send(200, { ...tokens, token_type: type, expires_in: 300 });
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
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

/** A process: its own connection to the database of the state directory. */
function startProcess(stateDir: string, { clock = systemClock, keyRef }: { clock?: Clock; keyRef?: string } = {}) {
  const opened = openCredentials({ stateDir, keyRef: () => keyRef, env: process.env, clock, log: silentLog });
  atTheEnd(() => opened.close());
  return opened;
}

function toTarget(url: string): AuthTarget {
  const text = JSON.stringify({ mcpServers: { files: { url: `${url}/mcp`, auth: { type: 'oauth' } } } });
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir: '/nowhere', version: 1 }).servers.get(
    'files',
  );
  if (settings === undefined) throw new Error('no settings');
  return toAuthTarget(settings);
}

function tokensOf(url: string, change: Partial<Tokens> = {}): Tokens {
  return {
    ...{ accessToken: 'access-0', refreshToken: 'refresh-0', expiresAt: Date.now() - 1, scopes: undefined },
    ...{ issuer: url, tokenEndpoint: `${url}/token`, resource: `${url}/mcp`, proofKey: undefined },
    client: { clientId: 'c', source: 'registered', secret: undefined, method: 'none' },
    ...change,
  };
}

async function setUp(change: Partial<Tokens> = {}) {
  const endpoint = await startTokenEndpoint();
  const target = toTarget(endpoint.url);
  const stateDir = newTestFolder();
  const slot = toTokenSlot('tokens', target, 'local');
  const first = startProcess(stateDir);
  await first.ports.vault.put(slot, toTokensRecord(tokensOf(endpoint.url, change)), 0);
  const credentialOf = ({ ports }: typeof first) => new PersonCredential({ target, owner: 'local', ports });
  return { endpoint, target, stateDir, slot, first, credentialOf };
}

test('fifty callers in each of three processes wait for one refresh', async () => {
  const { endpoint, stateDir, first, credentialOf, slot } = await setUp();
  const credentials = [first, startProcess(stateDir), startProcess(stateDir)].map(credentialOf);
  const all = await Promise.all(
    credentials.flatMap((credential) => Array.from({ length: 50 }, async () => credential.headers(REQUEST))),
  );
  expect(all).toHaveLength(150);
  expect(new Set(all.map((headers) => headers['authorization']))).toEqual(new Set(['Bearer access-1']));
  expect(endpoint.refreshes).toBe(1);
  // Kept over a restart, and the old one is gone.
  const kept = await startProcess(stateDir).ports.vault.get(slot);
  expect(kept?.value).toMatchObject({ accessToken: 'access-1', refreshToken: 'refresh-1' });
});

test('who dies over a renewal leaves the old tokens, and the next process renews with them', async () => {
  const { endpoint, stateDir, first, credentialOf, slot } = await setUp();
  const kept = await first.ports.vault.get(slot);
  // What kill -9 leaves when the request was not answered yet: the claim, and nothing else.
  expect(await first.ports.vault.claim(slot, kept?.version ?? 0, 20_000)).toBe(true);
  let ahead = 0;
  const second = startProcess(stateDir, { clock: { now: () => Date.now() + ahead } });
  const waiting = Promise.resolve(credentialOf(second).headers(REQUEST));
  await new Promise((resolve) => setImmediate(resolve));
  expect(endpoint.refreshes).toBe(0);
  ahead = 20_001;
  expect((await waiting)['authorization']).toBe('Bearer access-1');
  expect(endpoint.refreshes).toBe(1);
});

test('what is new is on disk before anybody uses it', async () => {
  const { endpoint, first, credentialOf, slot } = await setUp();
  const { vault } = first.ports;
  const order: string[] = [];
  const watched = {
    ...vault,
    put: async (...given: Parameters<typeof vault.put>) => {
      const done = await vault.put(...given);
      order.push(`kept ${String((await vault.get(slot))?.value['accessToken'])}`);
      return done;
    },
  };
  const credential = credentialOf({ ...first, ports: { ...first.ports, vault: watched } });
  const headers: CredentialHeaders = await credential.headers(REQUEST);
  order.push(`used ${headers['authorization']}`);
  expect(order).toEqual(['kept access-1', 'used Bearer access-1']);
  expect(endpoint.refreshes).toBe(1);
});

test.each(['invalid_client', 'temporarily_unavailable', 'invalid_request', 'unauthorized_client'])(
  'a refusal that may pass (%s) takes no refresh token away',
  async (error) => {
    const { endpoint, first, credentialOf } = await setUp();
    const credential = credentialOf(first);
    endpoint.error = error;
    await expect(credential.headers(REQUEST)).rejects.toThrow();
    endpoint.error = undefined;
    expect((await credential.headers(REQUEST))['authorization']).toBe('Bearer access-1');
  },
);

test('one that is over is forgotten, and names the sign-in', async () => {
  const { endpoint, first, credentialOf, slot } = await setUp();
  endpoint.error = 'invalid_grant';
  await expect(credentialOf(first).headers(REQUEST)).rejects.toMatchObject({
    code: 'upstream_unauthenticated',
    remedy: expect.stringContaining('sallyport login files'),
  });
  expect(await first.ports.vault.get(slot)).toBeUndefined();
});

test('a bound token is renewed with its key, over a restart too, and a token bound to none is not taken for it', async () => {
  const { endpoint, stateDir, credentialOf, slot } = await setUp({ proofKey: createProofKey() });
  const headers = await credentialOf(startProcess(stateDir)).headers(REQUEST);
  expect(headers['authorization']).toBe('DPoP access-1');
  const [atToken, atServer] = [endpoint.proofs[0], headers['dpop']].map((proof) => readJwt(proof ?? ''));
  expect(atToken?.header['jwk']).toEqual(atServer?.header['jwk']);
  expect(atServer?.header['jwk']).not.toHaveProperty('d');
  expect(atToken?.claims).toMatchObject({ htm: 'POST', htu: `${endpoint.url}/token` });
  expect(atToken?.claims['ath']).toBeUndefined();
  // The key is not readable in the database, and damaged it does not make a Bearer token of a bound one.
  const { vault } = startProcess(stateDir).ports;
  const kept = await vault.get(slot);
  expect(kept?.value).toHaveProperty('proofKey');
  await vault.put(slot, { ...kept?.value, proofKey: { kty: 'EC' } }, undefined);
  expect(await credentialOf(startProcess(stateDir)).headers(REQUEST)).toEqual({});
});

test.each(['file', 'env', 'command'])('the key of the vault comes from a %s', async (kind) => {
  const { stateDir: folder } = { stateDir: newTestFolder() };
  const key = randomBytes(32).toString('hex');
  const file = join(folder, 'key');
  const script = join(folder, 'print.mjs');
  writeFileSync(file, `${key}\n`);
  writeFileSync(script, `console.log(${JSON.stringify(key)})`);
  process.env['VAULT_KEY_OF_A_TEST'] = key;
  const references: Record<string, string> = {
    file: `file:${file}`,
    env: 'env:VAULT_KEY_OF_A_TEST',
    command: `command:${process.execPath} ${script}`,
  };
  const stateDir = newTestFolder();
  const slot = { kind: 'tokens', upstream: 'files', place: 'https://x.test/mcp', owner: 'local' } as const;
  const keyRef = references[kind] ?? '';
  await startProcess(stateDir, { keyRef }).ports.vault.put(slot, { accessToken: 'x' }, 0);
  expect(await startProcess(stateDir, { keyRef }).ports.vault.get(slot)).toMatchObject({ value: { accessToken: 'x' } });
  // Any of the three leads to the same key, and the one made in the state directory is another.
  for (const same of Object.values(references))
    expect(await startProcess(stateDir, { keyRef: same }).ports.vault.get(slot)).toBeDefined();
  await expect(startProcess(stateDir).ports.vault.get(slot)).rejects.toMatchObject({
    message: expect.stringContaining('another key'),
  });
  const failing = startProcess(stateDir, { keyRef: `command:${process.execPath} --no-such-flag ${key}` });
  const fault = await failing.ports.vault.get(slot).catch((error: unknown) => error);
  expect(String(fault)).toContain('cannot be read');
  expect(String(fault)).not.toContain(key);
});
