import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openCredentials } from '../src/call/open-credentials.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { login } from '../src/upstream/auth/login.ts';
import { toAuthTarget } from '../src/upstream/auth/surroundings.ts';
import { atTheEnd } from './at-the-end.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';

interface Heard {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** A server that is upstream and authorization server in one, as bad as a test wants it. */
async function startHostile(bad: (origin: string) => Record<string, unknown>, token: () => unknown = () => undefined) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      heard.push({ path, body, headers: request.headers });
      const documents: Record<string, unknown> = {
        '/.well-known/oauth-protected-resource/mcp': { resource: `${origin}/mcp`, authorization_servers: [origin] },
        '/.well-known/oauth-authorization-server': {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
          ...bad(origin),
        },
        '/register': { client_id: 'made-here' },
        '/token': token() ?? { access_token: 'token-of-the-server', token_type: 'Bearer', expires_in: 300 },
      };
      const document = documents[path];
      response.writeHead(path === '/mcp' ? 401 : document === undefined ? 404 : 200, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(document ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atTheEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { origin, heard };
}

/** Signs in with a browser that comes back with `answer`. */
async function signIn(origin: string, answer: (state: string) => Record<string, string> | undefined) {
  const stateDir = newTestFolder();
  const text = JSON.stringify({
    mcpServers: { files: { url: `${origin}/mcp`, auth: { type: 'oauth', redirectPort: 0 } } },
  });
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 }).servers.get('files');
  const credentials = openCredentials({
    stateDir,
    keyRef: () => undefined,
    env: {},
    clock: systemClock,
    log: silentLog,
  });
  const ended = new AbortController();
  const statuses: number[] = [];
  let redirectUri = '';
  const show = async (url: URL) => {
    redirectUri = url.searchParams.get('redirect_uri') ?? '';
    const state = url.searchParams.get('state') ?? '';
    // What does not know the state changes nothing.
    for (const wrong of ['', '?code=x', '?code=x&state=guess', `?code=x&state=${state}&state=${state}`])
      statuses.push((await fetch(`${redirectUri}${wrong}`)).status);
    const parameters = answer(state);
    if (parameters === undefined) ended.abort();
    else statuses.push((await fetch(`${redirectUri}?${new URLSearchParams(parameters)}`)).status);
    if (parameters !== undefined)
      statuses.push(
        (await fetch(`${redirectUri}?${new URLSearchParams(parameters)}`).catch(() => ({ status: 400 }))).status,
      );
  };
  try {
    if (settings === undefined) throw new Error('no settings');
    const ports = credentials.ports;
    return {
      tokens: await login({ target: toAuthTarget(settings), owner: 'local', ports, show, signal: ended.signal }),
      statuses,
    };
  } finally {
    await credentials.close();
  }
}

test('an honest answer signs in; guessed, doubled and replayed states do not', async () => {
  const { origin, heard } = await startHostile(() => ({}));
  const { tokens, statuses } = await signIn(origin, (state) => ({ code: 'c', state }));
  expect(tokens.accessToken).toBe('token-of-the-server');
  expect(statuses).toEqual([400, 400, 400, 400, 200, 400]);
  expect(heard.filter(({ path }) => path === '/token')).toHaveLength(1);
});

test.each([
  ['no word about PKCE', { code_challenge_methods_supported: undefined }, /PKCE/],
  ['plain PKCE only', { code_challenge_methods_supported: ['plain'] }, /PKCE/],
  ['another issuer', { issuer: 'https://honest.test' }, /not used/],
  ['a script for the browser', { authorization_endpoint: 'javascript:alert(1)//' }, /is not asked/],
  ['a file for the browser', { authorization_endpoint: 'file:///etc/passwd' }, /is not asked/],
  ['a token endpoint at the metadata service', { token_endpoint: 'https://169.254.169.254/token' }, /is not asked/],
  ['a token endpoint in the private network', { token_endpoint: 'https://10.1.2.3/token' }, /is not asked/],
  ['a registration in the private network', { registration_endpoint: 'https://192.168.0.1/register' }, /is not asked/],
  ['a wrapped address', { token_endpoint: 'https://[::ffff:10.0.0.1]/token' }, /is not asked/],
])('%s: nobody is sent there and no code is given away', async (_, bad, message) => {
  const { origin, heard } = await startHostile(() => bad);
  await expect(signIn(origin, (state) => ({ code: 'c', state }))).rejects.toMatchObject({
    message: expect.stringMatching(message),
  });
  expect(heard.some(({ path }) => path === '/token')).toBe(false);
});

test.each([
  ['a wrong iss', {}, { iss: 'https://evil.test' }],
  ['a wrong iss with an error to show', {}, { iss: 'https://evil.test', error: 'visit_evil.test_now' }],
  ['no iss where one was promised', { authorization_response_iss_parameter_supported: true }, {}],
])('%s: the code goes nowhere, and nothing of the answer is shown', async (_, metadata, more) => {
  const { origin, heard } = await startHostile(() => metadata);
  const failed = signIn(origin, (state) => ({ code: 'c', state, ...more }));
  await expect(failed).rejects.toMatchObject({
    code: 'upstream_protocol',
    message: expect.not.stringContaining('evil'),
  });
  expect(heard.some(({ path }) => path === '/token')).toBe(false);
});

test('a token that would end its header line is not used', async () => {
  const { origin } = await startHostile(
    () => ({}),
    () => ({ access_token: 'a\r\nx-evil: 1', token_type: 'Bearer' }),
  );
  await expect(signIn(origin, (state) => ({ code: 'c', state }))).rejects.toMatchObject({ code: 'upstream_protocol' });
});

test('the token a caller came with is in no byte that leaves, also where the caller’s identity is exchanged', async () => {
  const server = await startHostile(() => ({}));
  const sent: string[] = [];
  const upstream = await startHttpUpstream({
    behave: (message, response, request) => {
      sent.push(JSON.stringify([message, request.rawHeaders]));
      if (request.headers.authorization === 'Bearer token-of-the-server') return false;
      response.writeHead(401).end();
      return true;
    },
  });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const auth = {
    type: 'token_exchange',
    clientId: 'sallyport',
    privateKeyRef: 'env:SIGNING_KEY',
    issuer: server.origin,
    audience: 'files',
  };
  const gateway = await startGateway({ mcpServers: { files: { url: upstream.url, auth } } }, [], { SIGNING_KEY: KEY });
  const client = new PlainClient(gateway);
  await client.initialize();
  expect(JSON.stringify(await client.call('files_echo'))).toContain('echo done');
  const exchanges = server.heard.filter(({ path }) => path === '/token');
  expect(exchanges.length).toBeGreaterThan(0);
  const asked = new URLSearchParams(exchanges[0]?.body);
  expect(asked.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:token-exchange');
  expect(asked.get('resource')).toBe(upstream.url);
  const subject = JSON.parse(Buffer.from(asked.get('subject_token')?.split('.')[1] ?? '', 'base64url').toString());
  expect(subject).toMatchObject({ iss: 'sallyport', sub: 'local', aud: server.origin });
  const everything = sent.join() + JSON.stringify(server.heard);
  expect(sent.length).toBeGreaterThan(2);
  expect(gateway.key?.length).toBeGreaterThan(20);
  expect(everything).not.toContain(gateway.key);
  expect(everything).not.toContain(Buffer.from(gateway.key ?? '').toString('base64'));
});
