import { beforeAll, describe, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { cli } from './cli-terminal.ts';
import { exchange, openExchange, RawConnection } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const INITIALIZE = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 't', version: '1' } };
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** A gateway with one upstream, and who called it as its log says. */
async function start(auth: unknown): Promise<RunningGateway> {
  const upstream = await startHttpUpstream();
  return startGateway({ gateway: { auth }, mcpServers: { up: { url: upstream.url } } });
}

/** The line that a call left in the log. */
async function recordOf(gateway: RunningGateway, principal: string): Promise<string> {
  return gateway.process.logged(new RegExp(`.*"msg":"call".*"principal":"${principal}.*`));
}

describe('API keys', () => {
  let gateway: RunningGateway;
  const key = async (...args: string[]) => {
    const { stdout, exit } = await cli(['key', ...args, '--json'], {
      env: { SALLYPORT_STATE: gateway.process.stateDir },
    });
    expect(exit).toBe(0);
    return JSON.parse(stdout) as Record<string, string> & { keys: Record<string, unknown>[] };
  };
  beforeAll(async () => {
    gateway = await start('key');
  });

  test('made on the command line open the running gateway, and end when they are revoked', async () => {
    const { key: secret = '', id } = await key('create', 'ci', '--group', 'builders', '--account', 'build');
    expect(secret).toMatch(/^sp_[\w-]{43}$/);
    const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(secret) } });
    await waitFor(async () => expect((await client.askModern('tools/list')).status).toBe(200));
    expect(textOf(await client.callModern('up_echo'))).toBeDefined();
    expect(await recordOf(gateway, `key:${id}`)).toContain('"outcome":"ok"');
    await client.initialize();
    const stream = await openExchange({
      url: gateway.url,
      method: 'GET',
      headers: { ...gateway.headers, ...bearer(secret), ...client.session },
    });
    expect(stream.statusCode).toBe(200);
    const ended = new Promise((resolve) => stream.resume().once('end', resolve));

    expect((await key('list')).keys).toMatchObject([{ name: 'ci', state: 'active', groups: ['builders'] }]);
    await key('revoke', 'ci');
    await waitFor(async () => expect((await client.ask('ping')).status).toBe(401));
    await ended;
    expect(JSON.stringify((await key('list')).keys)).not.toContain(secret);
  });

  test('that end while a request is sent let it do nothing, whatever it is', async () => {
    const { key: secret = '' } = await key('create', 'slow', '--group', 'admin');
    const holder = { ...gateway, headers: { ...gateway.headers, ...bearer(secret) } };
    await waitFor(async () => expect((await new PlainClient(holder).askModern('tools/list')).status).toBe(200));
    const stream = await openExchange({ url: gateway.sse, method: 'GET', headers: holder.headers });
    const message = await new Promise<string>((resolve) => {
      stream.setEncoding('utf8').on('data', (text: string) => resolve(/^data: (.*)$/m.exec(text)?.[1] ?? ''));
    });
    const host = new URL(gateway.origin).host;
    // In pieces, which is for Node's own server: it asks who comes when the head is there.
    const begun = [
      ['/api/v1/keys', '{"name":"left behind","groups":["admin"]}'],
      ['/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })],
      [message, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })],
    ].map(([path, body = '']) => {
      const connection = new RawConnection(gateway.origin).send(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n${body[0]}\r\n`,
      );
      return { connection, rest: `${(body.length - 1).toString(16)}\r\n${body.slice(1)}\r\n0\r\n\r\n` };
    });
    // Answered after all of them were read.
    expect((await new PlainClient(holder).askModern('tools/list')).status).toBe(200);
    await key('revoke', 'slow');
    await waitFor(async () => expect((await new PlainClient(holder).askModern('tools/list')).status).toBe(401));
    for (const { connection, rest } of begun) connection.send(rest);
    const answers = await Promise.all(begun.map(({ connection }) => connection.answered()));
    expect(answers).toEqual([[401], [401], [401]]);
    expect(JSON.stringify((await key('list')).keys)).not.toContain('left behind');
    stream.destroy();
  });

  test('that nobody made are refused; so are others in the address', async () => {
    const refused = await exchange({
      url: gateway.url,
      headers: { ...gateway.headers, ...bearer('sp_no') },
      body: PING,
    });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="sallyport"');
    const inAddress = await exchange({ url: `${gateway.url}?access_token=x`, headers: gateway.headers, body: PING });
    expect(inAddress.status).toBe(400);
  });
});

describe('OAuth access tokens', () => {
  let server: AuthorizationServer;
  let gateway: RunningGateway;
  const ask = (token: string, url = gateway.url) =>
    exchange({ url, headers: { ...gateway.headers, ...bearer(token) }, body: PING });
  beforeAll(async () => {
    server = await startAuthorizationServer();
    gateway = await start({
      keys: false,
      oauth: {
        issuers: [{ issuer: server.issuer, groupsClaim: 'groups', attributes: { tenant: 'tenant' } }],
        requiredScopes: ['mcp:use'],
      },
    });
  });

  test('a client finds its way from the 401 to a call', async () => {
    const first = await exchange({ url: gateway.url, headers: gateway.headers, body: PING });
    expect(first.status).toBe(401);
    const challenge = first.headers['www-authenticate'] ?? '';
    expect(challenge).toContain('scope="mcp:use"');
    expect(challenge).not.toContain('error=');
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    expect(metadataUrl).toBe(`${gateway.origin}/.well-known/oauth-protected-resource/mcp`);
    const metadata = JSON.parse((await exchange({ url: metadataUrl, method: 'GET' })).body);
    expect(metadata).toMatchObject({ resource: gateway.url, authorization_servers: [server.issuer] });

    const token = await server.clientToken(metadata.resource);
    const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(token) } });
    expect(textOf(await client.callModern('up_echo'))).toBeDefined();
    expect(await recordOf(gateway, `oauth:${server.issuer}#robot`)).toContain('"outcome":"ok"');
  });

  test('of a person work in a session, and stop in it when they end', async () => {
    const token = await server.token('alice', gateway.url, { lifetime: -57, claims: { groups: ['dev'] } });
    const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(token) } });
    await client.initialize();
    expect((await client.ask('ping')).status).toBe(200);
    const bob = await server.token('bob', gateway.url);
    const stolen = await client.post(PING, { ...client.session, ...bearer(bob) });
    expect(stolen.status).toBe(404);
    await waitFor(async () => expect((await client.ask('ping')).status).toBe(401));
    const newer = await server.token('alice', gateway.url, { claims: { groups: ['dev'] } });
    expect((await client.post(PING, { ...client.session, ...bearer(newer) })).status).toBe(200);
  });

  test('with more scopes after a step-up go on in the session; with fewer it is over', async () => {
    const narrow = await server.token('alice', gateway.url, { scope: 'mcp:use' });
    const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(narrow) } });
    await client.initialize();
    const wide = await server.token('alice', gateway.url, { scope: 'mcp:use files:read' });
    const ping = (token: string) => client.post(PING, { ...client.session, ...bearer(token) });
    expect((await ping(wide)).status).toBe(200);
    expect((await ping(await server.token('bob', gateway.url, { scope: 'mcp:use files:read' }))).status).toBe(404);
    expect((await ping(wide)).status).toBe(200);
    expect((await ping(narrow)).status).toBe(404);
    expect((await ping(wide)).status).toBe(404);
  });

  test.each<[string, () => Promise<string>, number, string]>([
    ['for another resource', () => server.token('alice', 'https://other.example/mcp'), 401, 'invalid_token'],
    ['for another endpoint', () => server.token('alice', `${gateway.origin}/servers/up/mcp`), 401, 'invalid_token'],
    ['expired by 61 s', () => server.token('alice', gateway.url, { lifetime: -61 }), 401, 'invalid_token'],
    [
      'with too few scopes',
      () => server.token('alice', gateway.url, { scope: 'files:read' }),
      403,
      'insufficient_scope',
    ],
    ['of nobody', async () => 'eyJhbGciOiJub25lIn0.e30.', 401, 'invalid_token'],
  ])('%s are refused', async (_, make, status, error) => {
    const answer = await ask(await make());
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toContain(`error="${error}"`);
    expect(answer.headers['www-authenticate']).toContain('scope="mcp:use"');
    expect(answer.headers['www-authenticate']).toContain('resource_metadata="');
  });

  test('for one server open that server only', async () => {
    const url = gateway.servers['up'] ?? '';
    const token = await server.token('alice', url);
    const modern = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(token) } }, url);
    expect((await modern.askModern('tools/list')).status).toBe(200);
    expect((await ask(token)).status).toBe(401);
  });

  test('the key of the laptop does not work where keys are off', async () => {
    expect(gateway.key).toBeNull();
    expect((await ask('sp_x')).status).toBe(401);
  });

  test('go on working while the issuer is down, which was asked for its keys once', async () => {
    const token = await server.token('carol', gateway.url);
    expect(server.keyRequests()).toBe(1);
    await server.stop();
    const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(token) } });
    expect((await client.askModern('tools/list')).status).toBe(200);
  });
});
