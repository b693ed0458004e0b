import { beforeAll, describe, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { exchange, messageIn } from './http-exchange.ts';
import { type HttpUpstream, startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** Sallyport as a resource server before a real authorization server (checklist 1 to 6 and 11). */

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
/** Every door that asks who is there. */
const DOORS: [string, string][] = [
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['DELETE', '/mcp'],
  ['POST', '/servers/up/mcp'],
  ['POST', '/bundles/set/mcp'],
  ['GET', '/sse'],
  ['GET', '/servers/up/sse'],
  ['POST', '/message?sessionId=x'],
  ['GET', '/api/v1/servers'],
  ['GET', '/api/v1/events'],
  ['GET', '/metrics'],
  ['GET', '/nothing/here'],
  ['GET', '/servers/secret/mcp'],
];

let server: AuthorizationServer;
let other: AuthorizationServer;
let upstream: HttpUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  [server, other, upstream] = await Promise.all([
    startAuthorizationServer(),
    startAuthorizationServer(),
    startHttpUpstream(),
  ]);
  gateway = await startGateway({
    gateway: {
      auth: {
        keys: false,
        oauth: {
          issuers: [{ issuer: server.issuer, groupsClaim: 'groups' }],
          requiredScopes: ['mcp:use', 'files:list'],
          impliedScopes: { 'files:read': ['files:list'] },
        },
      },
    },
    mcpServers: { up: { url: upstream.url } },
    bundles: { set: { tools: ['up.*'] } },
  } as Record<string, unknown>);
});

function ask(
  path: string,
  { method = 'POST', ...headers }: Record<string, string> = {},
  body: string | undefined = PING,
) {
  const sent = method === 'POST' ? { body } : {};
  return exchange({ url: gateway.origin + path, method, headers: { ...gateway.headers, ...headers }, ...sent });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const good = () => server.token('alice', gateway.url, { scope: 'mcp:use files:read' });

describe('metadata (RFC 9728)', () => {
  test('is where the challenge says and where the specification says, for the root and for each endpoint', async () => {
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['POST', '/servers/up/mcp'],
      ['POST', '/bundles/set/mcp'],
      ['GET', '/sse'],
    ] as const) {
      const refused = await ask(path, { method });
      expect(refused.status).toBe(401);
      const place = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate'] ?? '')?.[1];
      expect(place).toBe(`${gateway.origin}${WELL_KNOWN}${path}`);
      const about = JSON.parse((await ask(new URL(place ?? '').pathname, { method: 'GET' })).body);
      expect(about).toMatchObject({ resource: gateway.origin + path, authorization_servers: [server.issuer] });
    }
    const root = JSON.parse((await ask(WELL_KNOWN, { method: 'GET' })).body);
    expect(root).toMatchObject({ resource: gateway.url, bearer_methods_supported: ['header'] });
  });

  test('does not tell which servers there are', async () => {
    const answers = await Promise.all(
      ['up', 'secret', 'nobody'].map((name) => ask(`${WELL_KNOWN}/servers/${name}/mcp`, { method: 'GET' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('asks for the least: what every call needs', async () => {
    const about = JSON.parse((await ask(WELL_KNOWN, { method: 'GET' })).body) as { scopes_supported: string[] };
    expect(about.scopes_supported).toEqual(['mcp:use', 'files:list']);
  });

  test('of an authorization server is not there: nobody is sent through Sallyport to another one', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      expect((await ask(path, { method: 'GET' })).status).toBe(401);
  });
});

describe('without a token', () => {
  test.each(DOORS)('%s %s is refused, and no credential elsewhere helps', async (method, path) => {
    const token = await good();
    const places: Record<string, string>[] = [
      {},
      { cookie: `authorization=Bearer ${token}; access_token=${token}` },
      { 'x-authorization': `Bearer ${token}` },
      { 'proxy-authorization': `Bearer ${token}` },
      { 'mcp-session-id': token },
      { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
      { authorization: token },
    ];
    for (const headers of places) {
      const answer = await ask(path, { method, ...headers });
      expect([JSON.stringify(headers), answer.status]).toEqual([JSON.stringify(headers), 401]);
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer realm="sallyport", scope="mcp:use files:list", resource_metadata="http/,
      );
      expect(answer.body).not.toContain('up_');
    }
  });

  test('in the address it is 400, also with a good one in the header', async () => {
    const token = await good();
    for (const path of [`/mcp?access_token=${token}`, `/mcp?a=1&access_token=${token}`, `/mcp?ACCESS_TOKEN=${token}`])
      for (const headers of [{}, bearer(token)]) expect((await ask(path, headers)).status).toBe(400);
  });

  test('in the body of a form it is none', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ask('/mcp', form, `access_token=${await good()}`)).status).toBe(401);
  });

  test('a malformed one is 400', async () => {
    for (const value of ['Bearer a b', 'Bearer "x"', 'Bearer a,b'])
      expect((await ask('/mcp', { authorization: value })).status).toBe(400);
  });
});

describe('a token of the authorization server', () => {
  test.each<[string, () => Promise<string>]>([
    ['for another resource', () => server.token('alice', 'https://other.example/mcp', { scope: 'mcp:use files:read' })],
    ['for another server of ours', () => server.token('alice', `${gateway.origin}/servers/up/mcp`)],
    ['for a bundle of ours', () => server.token('alice', `${gateway.origin}/bundles/set/mcp`)],
    ['for our REST API', () => server.token('alice', `${gateway.origin}/api`)],
    ['for our origin', () => server.token('alice', gateway.origin)],
    ['for an address that begins like ours', () => server.token('alice', `${gateway.url}/more`)],
    ['for our name without the port', () => server.token('alice', 'http://127.0.0.1/mcp')],
    ['for the upstream behind us', () => server.token('alice', upstream.url)],
    ['that has expired', () => server.token('alice', gateway.url, { lifetime: -61 })],
    ['of an issuer nobody trusts', () => other.token('alice', gateway.url, { scope: 'mcp:use files:read' })],
  ])('%s is refused before anything is done with the request', async (_, make) => {
    const token = await make();
    const before = upstream.heard.length;
    const params = { name: 'up_echo', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params) });
    const answer = await ask('/mcp', { ...bearer(token), ...modernHeaders('tools/call', params) }, body);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(upstream.heard.length).toBe(before);
    // Also where the body is none, or too large: who calls comes first.
    expect((await ask('/mcp', bearer(token), '{')).status).toBe(401);
  });

  test('opens the endpoint it is for and no other', async () => {
    const doors = ['/mcp', '/servers/up/mcp', '/bundles/set/mcp'];
    for (const mine of doors) {
      const token = await server.token('alice', gateway.origin + mine, { scope: 'mcp:use files:read' });
      for (const door of doors) {
        const client = new PlainClient(
          { ...gateway, headers: { ...gateway.headers, ...bearer(token) } },
          gateway.origin + door,
        );
        expect([mine, door, (await client.askModern('tools/list')).status]).toEqual([
          mine,
          door,
          mine === door ? 200 : 401,
        ]);
      }
    }
  });

  test('with too few scopes is 403 with all of them in one challenge, on every endpoint alike', async () => {
    for (const path of ['/mcp', '/servers/up/mcp']) {
      const token = await server.token('alice', gateway.origin + path, { scope: 'files:read' });
      const answer = await ask(path, bearer(token));
      expect(answer.status).toBe(403);
      const challenge = answer.headers['www-authenticate'] ?? '';
      expect(challenge).toContain('error="insufficient_scope"');
      expect(challenge).toContain('scope="mcp:use files:list"');
      expect(challenge).toContain(`resource_metadata="${gateway.origin}${WELL_KNOWN}${path}"`);
    }
    // Who asked for more, on what, with what: for the person who looks at it later.
    await gateway.process.logged(
      /"principal":"oauth:[^"]+#alice".*"path":"\/servers\/up\/mcp".*"wanted":"mcp:use files:list".*"has":"files:read/,
    );
  });

  test('with a scope that stands for the one needed is enough, and without it is not', async () => {
    for (const [scope, status] of [
      ['mcp:use files:read', 200],
      ['mcp:use', 403],
      ['files:read', 403],
    ] as const) {
      const token = await server.token('alice', gateway.url, { scope });
      const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(token) } });
      expect([scope, (await client.askModern('tools/list')).status]).toEqual([scope, status]);
    }
  });

  test('is told what Sallyport is for this caller only: nobody between may keep it', async () => {
    const token = await good();
    const client = new PlainClient({ ...gateway, headers: { ...gateway.headers, ...bearer(token) } });
    const { result } = messageIn(await client.askModern('server/discover'));
    expect(result).toMatchObject({ cacheScope: 'private' });
  });
});
