import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { honestMetadata, pointAt, signInAt, startIssuer, startProtected, startSmallServer } from './hostile-servers.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';
import { browse, startSignInServer } from './sign-in-server.ts';
import { signInWith } from './sign-in-with.ts';
import { waitFor } from './wait-for.ts';

/** Sallyport as an OAuth client of upstreams, before hostile and real authorization servers (checklist 13 to 23). */

const asked = (server: { heard: readonly { path: string }[] }, path: string) =>
  server.heard.filter((one) => one.path === path || one.path.startsWith(`${path}?`));

describe('two authorization servers mixed up', () => {
  test('the code of an honest one is not carried to a hostile one that sent the person there', async () => {
    const honest = await startSignInServer();
    // Registered at the honest one by hand, as an attacker may do: the redirect URI of a program on a laptop is known.
    const hostile = await startIssuer((origin) => ({
      issuer: origin,
      authorization_endpoint: `${honest.issuer}/auth`,
      token_endpoint: `${origin}/token`,
    }));
    const server = await startProtected(hostile.origin);
    const failed = signInAt(`${server.origin}/mcp`, {
      async answer(url) {
        const registered = await fetch(`${honest.issuer}/reg`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            redirect_uris: [url.searchParams.get('redirect_uri')],
            application_type: 'native',
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
          }),
        });
        const { client_id: id } = (await registered.json()) as { client_id: string };
        url.searchParams.set('client_id', id);
        const back = await browse(url);
        // The honest one says who it is (RFC 9207); nothing else gives the mix-up away.
        expect(back.searchParams.get('code')).toMatch(/./);
        expect(back.searchParams.get('iss')).toBe(honest.issuer);
        return back;
      },
    });
    await expect(failed).rejects.toMatchObject({ code: 'upstream_protocol', message: expect.stringMatching(/mix up/) });
    expect(asked(hostile, '/token')).toEqual([]);
  });

  test.each<[string, (origin: string) => string]>([
    ['a slash more', (origin) => `${origin}/`],
    ['another scheme', (origin) => origin.replace('http:', 'https:')],
    ['capitals', (origin) => origin.replace('http', 'HTTP')],
    ['another name of the same machine', (origin) => origin.replace('127.0.0.1', 'localhost')],
    ['encoded signs', (origin) => origin.replace('.', '%2E')],
    ['a path', (origin) => `${origin}/x`],
    ['nothing', () => ''],
  ])('an iss with %s is another one', async (_, change) => {
    const issuer = await startIssuer();
    const server = await startProtected(issuer.origin);
    const failed = signInAt(`${server.origin}/mcp`, { answer: () => ({ code: 'c', iss: change(issuer.origin) }) });
    await expect(failed).rejects.toMatchObject({ code: 'upstream_protocol' });
    expect(asked(issuer, '/token')).toEqual([]);
  });

  test.each([
    ['promised and there', true, true],
    ['there without a promise', false, true],
    ['neither promised nor there', false, false],
  ])('an iss that is right, %s, is no hindrance', async (_, promised, there) => {
    const issuer = await startIssuer(() => ({ authorization_response_iss_parameter_supported: promised }));
    const server = await startProtected(issuer.origin);
    const { tokens } = await signInAt(`${server.origin}/mcp`, {
      answer: () => ({ code: 'c', ...(there ? { iss: issuer.origin } : {}) }),
    });
    expect(tokens.issuer).toBe(issuer.origin);
  });

  test('an error is shown by its code alone, and only from the right server', async () => {
    const issuer = await startIssuer();
    const server = await startProtected(issuer.origin);
    const error = { error: 'access_denied', error_description: 'call +1 555 evil', error_uri: 'https://evil.test' };
    const right = signInAt(`${server.origin}/mcp`, { answer: () => ({ ...error, iss: issuer.origin }) });
    await expect(right).rejects.toMatchObject({ message: expect.stringMatching(/access_denied(?!.*evil)/) });
    const wrong = signInAt(`${server.origin}/mcp`, { answer: () => ({ ...error, iss: 'https://evil.test' }) });
    await expect(wrong).rejects.toMatchObject({ message: expect.not.stringMatching(/access_denied|evil/) });
  });
});

describe('what is registered with one authorization server', () => {
  test('is kept for it, never shown to another one, and found again', async () => {
    const [one, other] = await Promise.all([startIssuer(), startIssuer()]);
    const server = await startProtected(one.origin);
    const stateDir = newTestFolder();
    // A kept registration is for one redirect URI.
    const auth = { redirectPort: await freePort() };
    const url = `${server.origin}/mcp`;
    const first = (await signInAt(url, { stateDir, auth })).shown[0]?.searchParams.get('client_id');
    pointAt(server, other.origin);
    const second = (await signInAt(url, { stateDir, auth })).shown[0]?.searchParams.get('client_id');
    pointAt(server, one.origin);
    const third = (await signInAt(url, { stateDir, auth })).shown[0]?.searchParams.get('client_id');
    expect([first, third]).toEqual([`client-of-${new URL(one.origin).port}`, first]);
    expect(second).toBe(`client-of-${new URL(other.origin).port}`);
    expect([asked(one, '/register').length, asked(other, '/register').length]).toEqual([1, 1]);
    expect(JSON.stringify(other.heard)).not.toContain(first);
  });

  test('says what kind of program it is, and that it wants to renew', async () => {
    const issuer = await startIssuer();
    const server = await startProtected(issuer.origin);
    await signInAt(`${server.origin}/mcp`);
    expect(JSON.parse(asked(issuer, '/register')[0]?.['body' as never] ?? '{}')).toMatchObject({
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
    });
  });

  test('is asked for in order: known beforehand, document, registration, and then a person', async () => {
    const issuer = await startIssuer(() => ({ client_id_metadata_document_supported: true }));
    const server = await startProtected(issuer.origin);
    const document = 'https://sallyport.example/client.json';
    const idWith = async (auth: Record<string, unknown>) =>
      (await signInAt(`${server.origin}/mcp`, { auth })).shown[0]?.searchParams.get('client_id');
    expect(await idWith({ clientId: 'known', issuer: issuer.origin, clientMetadataUrl: document })).toBe('known');
    expect(await idWith({ clientMetadataUrl: document })).toBe(document);
    expect(asked(issuer, '/register')).toEqual([]);
    expect(await idWith({})).toMatch(/^client-of-/);
    await expect(idWith({ dcr: false })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/redirect URI http:\/\/127.0.0.1.*auth\.clientId/),
    });
  });

  test('known beforehand, it goes to the issuer it belongs to, whatever the server names', async () => {
    const [mine, other] = await Promise.all([startIssuer(), startIssuer()]);
    const server = await startProtected(other.origin);
    const { tokens } = await signInAt(`${server.origin}/mcp`, { auth: { clientId: 'mine', issuer: mine.origin } });
    expect(tokens.issuer).toBe(mine.origin);
    expect(other.heard).toEqual([]);
    const unpinned = signInAt(`${server.origin}/mcp`, { auth: { clientId: 'mine' } });
    await expect(unpinned).rejects.toThrow(/auth\.issuer.*is missing/);
  });

  test('refused: the person is told what to do by hand', async () => {
    const issuer = await startIssuer();
    issuer.says.set('/register', { status: 400 });
    const server = await startProtected(issuer.origin);
    await expect(signInAt(`${server.origin}/mcp`)).rejects.toMatchObject({
      message: expect.stringMatching(/did not register Sallyport: HTTP 400.*by hand with the redirect URI/),
    });
  });
});

describe('scopes', () => {
  test('that the challenge names are what is asked for, whatever the metadata lists', async () => {
    const issuer = await startIssuer();
    const server = await startProtected(issuer.origin);
    const scopesAt = async () => (await signInAt(`${server.origin}/mcp`)).shown[0]?.searchParams.get('scope');
    expect(await scopesAt()).toBe('files:read');
    server.says.set('/mcp', { status: 401, headers: { 'www-authenticate': 'Bearer scope="deep:one deep:two"' } });
    expect(await scopesAt()).toBe('deep:one deep:two');
  });

  test('a server that is never content is asked a few times, and then its callers are told', async () => {
    const issuer = await startIssuer();
    let rounds = 0;
    const upstream = await startHttpUpstream({
      behave: (_message, response, request) => {
        const challenge = request.headers.authorization === undefined ? '' : 'error="insufficient_scope", ';
        const head = { 'www-authenticate': `Bearer ${challenge}scope="more:${rounds++}"` };
        response.writeHead(challenge === '' ? 401 : 403, head).end();
        return true;
      },
    });
    const auth = {
      type: 'client_credentials',
      clientId: 'robot',
      clientSecretRef: 'env:ROBOT_SECRET',
      issuer: issuer.origin,
    };
    const gateway = await startGateway({ mcpServers: { never: { url: upstream.url, auth } } }, [], {
      ROBOT_SECRET: 'x',
    });
    const { status, body } = await new PlainClient(gateway, gateway.servers['never']).ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect({ status, body }).toMatchObject({
      status: 503,
      body: expect.stringContaining('does not allow this with the token it was given'),
    });
    expect(asked(issuer, '/token').length).toBeLessThanOrEqual(12);
  });
});

test('a program that has a key proves itself with it: no secret leaves, and the proof is for this server alone', async () => {
  const issuer = await startIssuer(() => ({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }));
  const upstream = await startHttpUpstream({
    behave: (_message, response, request) => {
      if (request.headers.authorization?.startsWith('Bearer token-of-') === true) return false;
      response.writeHead(401).end();
      return true;
    },
  });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const auth = {
    type: 'client_credentials',
    clientId: 'robot',
    privateKeyRef: 'env:ROBOT_KEY',
    issuer: issuer.origin,
    resource: upstream.url,
  };
  const gateway = await startGateway({ mcpServers: { robot: { url: upstream.url, auth } } }, [], {
    ROBOT_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  const client = await new PlainClient(gateway).initialize();
  expect(textOf(await client.call('robot_echo'))).toBe('echo done');
  const [exchanged] = issuer.heard.filter(({ path }) => path === '/token');
  const form = new URLSearchParams(exchanged?.body);
  expect(Object.fromEntries(form)).toMatchObject({
    grant_type: 'client_credentials',
    resource: upstream.url,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });
  expect(form.get('client_secret')).toBeNull();
  expect(exchanged?.headers.authorization).toBeUndefined();
  const { payload } = await jwtVerify(form.get('client_assertion') ?? '', publicKey, {
    issuer: 'robot',
    subject: 'robot',
  });
  expect([payload.aud].flat()).toEqual([issuer.origin]);
  expect(Number(payload.exp) - Number(payload.iat)).toBeLessThanOrEqual(300);
  expect(JSON.stringify(issuer.heard)).not.toContain('PRIVATE KEY');
});

test.each(['http://sallyport.example/client.json', 'https://sallyport.example/', 'https://sallyport.example/c#x', 'x'])(
  '%s is no address of a client metadata document',
  async (clientMetadataUrl) => {
    await expect(signInAt('https://mcp.example/mcp', { auth: { clientMetadataUrl } })).rejects.toThrow(
      /auth\.clientMetadataUrl: /,
    );
  },
);

describe('metadata', () => {
  test('of OpenID Connect without a word about PKCE ends the sign-in, too', async () => {
    const issuer = await startSmallServer();
    const { code_challenge_methods_supported: _, ...rest } = honestMetadata(issuer.origin);
    issuer.says.set('/.well-known/openid-configuration', rest);
    const server = await startProtected(issuer.origin);
    await expect(signInAt(`${server.origin}/mcp`)).rejects.toMatchObject({ message: expect.stringMatching(/PKCE/) });
    expect(issuer.heard.map(({ path }) => path)).toEqual([
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['the metadata service', { token_endpoint: 'https://169.254.169.254/token' }],
    ['the metadata service, wrapped', { token_endpoint: 'https://[::ffff:169.254.169.254]/token' }],
    ['the private network', { registration_endpoint: 'https://10.0.0.1/register' }],
    ['a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a page that is data', { authorization_endpoint: 'data:text/html,x' }],
    ['a page with a command', { authorization_endpoint: 'vbscript:x' }],
    ['a page without TLS elsewhere', { authorization_endpoint: 'http://login.example/authorize' }],
  ])('that leads to %s: nobody is sent, no code is given away', async (_, change) => {
    const issuer = await startIssuer(() => change);
    const server = await startProtected(issuer.origin);
    await expect(signInAt(`${server.origin}/mcp`)).rejects.toMatchObject({
      message: expect.stringMatching(/is not asked/),
    });
    expect(asked(issuer, '/token')).toEqual([]);
  });

  test.each(['/.well-known/oauth-authorization-server', '/token', '/register'])(
    'a redirect at %s leads nowhere',
    async (path) => {
      const sink = await startIssuer();
      const issuer = await startIssuer();
      issuer.says.set(path, { status: 307, headers: { location: `${sink.origin}${path}` } });
      const server = await startProtected(issuer.origin);
      await expect(signInAt(`${server.origin}/mcp`)).rejects.toMatchObject({
        message: expect.stringMatching(/Redirects are not followed/),
      });
      expect(sink.heard).toEqual([]);
    },
  );

  test('the server itself may not lead the search for its metadata into the network', async () => {
    const sink = await startSmallServer();
    const server = await startProtected('https://10.9.8.7');
    for (const place of [
      'http://169.254.169.254/about',
      'https://10.0.0.1/about',
      'file:///etc/passwd',
      'https://[::1]:1/x',
    ]) {
      server.says.set('/mcp', { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${place}"` } });
      await expect(signInAt(`${server.origin}/mcp`)).rejects.toMatchObject({
        code: expect.stringMatching(/^upstream_protocol$|^unreachable$/),
      });
    }
    expect(sink.heard).toEqual([]);
  });
});

test('each upstream is sent tokens of its own authorization server and no others', async () => {
  const issuers = await Promise.all([startSignInServer(), startSignInServer()]);
  const sent: string[][] = [[], []];
  const upstreams = await Promise.all(
    issuers.map(async (issuer, index) => {
      const about = await startSmallServer();
      const upstream = await startHttpUpstream({
        behave: (_message, response, request) => {
          sent[index]?.push(JSON.stringify(request.rawHeaders));
          if (issuer.accepts(request.headers.authorization, upstream.url)) return false;
          response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${about.origin}/about"` }).end();
          return true;
        },
      });
      about.says.set('/about', {
        resource: upstream.url,
        authorization_servers: [issuer.issuer],
        scopes_supported: ['files:read'],
      });
      return upstream;
    }),
  );
  const auth = { type: 'oauth', redirectPort: 0 };
  const gateway = await startGateway({
    mcpServers: { one: { url: upstreams[0]?.url, auth }, two: { url: upstreams[1]?.url, auth } },
  });
  for (const name of ['one', 'two']) expect(await signInWith(gateway, name)).toMatchObject({ code: 0 });
  const client = await new PlainClient(gateway).initialize();
  // Its tools are listed once the new connection is there.
  for (const name of ['one', 'two'])
    await waitFor(async () => expect(textOf(await client.call(`${name}_echo`))).toBe('echo done'));
  const tokens = sent.map((lines) => [...lines.join().matchAll(/Bearer ([\w.-]+)/g)].map((match) => match[1] ?? ''));
  for (const [index, mine] of tokens.entries()) {
    expect(mine.length).toBeGreaterThan(0);
    for (const token of mine) expect(sent[1 - index]?.join()).not.toContain(token);
    expect(sent[index]?.join()).not.toContain(gateway.key);
  }
  // At rest nothing of them can be read.
  const database = readFileSync(join(gateway.process.stateDir, 'sallyport.db'), 'latin1');
  for (const token of tokens.flat()) expect(database).not.toContain(token.slice(0, 40));
});

async function freePort(): Promise<number> {
  return Number(new URL((await startSmallServer()).origin).port) + 1;
}
