import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { signInAt, startIssuer, startProtected } from './hostile-servers.ts';
import { exchange, messageIn } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** Sallyport between clients and servers that each have an authorization server of their own (checklist 23 to 29 and 36). */

let server: AuthorizationServer;
let gateway: RunningGateway;
let token: string;
/** Everything the upstreams were sent. */
const sent: string[] = [];

beforeAll(async () => {
  server = await startAuthorizationServer();
  const open = await startHttpUpstream({
    behave: (message, _response, request) => {
      sent.push(JSON.stringify([message, request.url, request.rawHeaders]));
      return false;
    },
  });
  const closed = await startHttpUpstream({
    behave: (message, response, request) => {
      sent.push(JSON.stringify([message, request.url, request.rawHeaders]));
      response.writeHead(401, {
        'www-authenticate': 'Bearer realm="evil", resource_metadata="https://evil.example/about", scope="all"',
        'set-cookie': 'session=evil',
        location: 'https://evil.example/authorize',
      });
      response.end();
      return true;
    },
  });
  const asking = new URL('fixtures/upstream-asking.mjs', import.meta.url).pathname;
  gateway = await startGateway({
    gateway: { auth: { oauth: { issuers: [{ issuer: server.issuer }] } } },
    mcpServers: {
      open: { url: open.url },
      closed: { url: closed.url, auth: { type: 'oauth', redirectPort: 0 } },
      asking: { command: process.execPath, args: [asking] },
    },
  });
  token = await server.token('alice', gateway.url);
});

const holder = () => ({ ...gateway, headers: { ...gateway.headers, authorization: `Bearer ${token}` } });

describe('there is no way through Sallyport to the consent of another authorization server', () => {
  const PATHS = [
    '/authorize?response_type=code&client_id=evil&redirect_uri=https://evil.example/cb&state=x',
    '/oauth/authorize?client_id=evil&redirect_uri=https://evil.example/cb',
    '/token',
    '/oauth/token',
    '/register',
    '/oauth/register',
    '/consent',
    '/callback?code=x&state=y',
    '/oauth/callback?code=x&state=y',
    '/login',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/.well-known/jwks.json',
  ];

  test.each(PATHS)('%s is nothing, with and without a credential', async (path) => {
    for (const method of ['GET', 'POST'])
      for (const [headers, status] of [
        [{}, 401],
        // A token is for an endpoint, and there is none.
        [{ authorization: `Bearer ${token}` }, 401],
        [{ authorization: `Bearer ${gateway.key}`, cookie: '__Host-consent=evil; consent=yes' }, 404],
      ] as const) {
        const { authorization: _, ...common } = gateway.headers as Record<string, string>;
        const body = method === 'POST' ? { body: 'client_id=evil&redirect_uris=https://evil.example/cb' } : {};
        const answer = await exchange({
          url: gateway.origin + path,
          method,
          headers: { ...common, ...headers },
          ...body,
        });
        expect([method, answer.status]).toEqual([method, status]);
        expect(answer.headers.location).toBeUndefined();
        expect(answer.headers['set-cookie']).toBeUndefined();
        expect(answer.body).not.toMatch(/<form|<script|<a /i);
      }
  });

  test('what an upstream asks of Sallyport is not put to the client: no challenge, cookie or redirect of it', async () => {
    const client = new PlainClient(holder());
    const params = { name: 'closed_echo', arguments: {} };
    const answer = await client.askModern('tools/call', params);
    expect(answer.status).toBe(200);
    expect(messageIn(answer).error).toEqual({
      code: -32000,
      message: '"closed" cannot be used now. "closed" wants a person to sign in.',
    });
    // It was asked, and said so.
    expect(sent.filter((one) => one.includes('server/discover')).length).toBeGreaterThan(0);
    for (const name of ['www-authenticate', 'set-cookie', 'location']) expect(answer.headers[name]).toBeUndefined();
    expect(answer.body).not.toContain('evil');
  });
});

test('the token of a caller is in nothing that leaves, also not in parts', async () => {
  const client = await new PlainClient(holder()).initialize();
  expect(textOf(await client.call('open_echo'))).toBe('echo done');
  const params = { name: 'open_echo', arguments: {} };
  const more = { cookie: `t=${token}`, 'x-forwarded-authorization': `Bearer ${token}`, 'proxy-authorization': token };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: modernParams(params) });
  expect((await client.post(body, { ...modernHeaders('tools/call', params), ...more })).status).toBe(200);
  const everything = sent.join('\n');
  expect(sent.length).toBeGreaterThan(3);
  for (const part of token.split('.')) expect(everything).not.toContain(part);
  expect(everything).not.toContain(gateway.key);
  expect(everything.toLowerCase()).not.toContain('authorization');
  expect(gateway.process.stderr).not.toContain(token.split('.')[2]);
});

describe('the page that takes the answer of a sign-in', () => {
  test('cannot be framed, keeps nothing, and is for this machine by its address only', async () => {
    const issuer = await startIssuer();
    const site = await startProtected(issuer.origin);
    const heads: Record<string, unknown>[] = [];
    const statuses: number[] = [];
    await signInAt(`${site.origin}/mcp`, {
      async answer(url) {
        const redirect = new URL(url.searchParams.get('redirect_uri') ?? '');
        expect(redirect.hostname).toBe('127.0.0.1');
        const state = url.searchParams.get('state') ?? '';
        const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
          new Promise<void>((resolve, reject) => {
            request(`${redirect.origin}${path}`, { method, headers }, (response) => {
              heads.push(response.headers);
              statuses.push(response.statusCode ?? 0);
              response.resume().once('end', () => resolve());
            })
              .once('error', reject)
              .end();
          });
        const good = `${redirect.pathname}?code=evil&state=${state}`;
        await visit(good, { host: 'evil.example' });
        await visit(good, { host: `localhost:${redirect.port}` });
        await visit(good, {}, 'POST');
        await visit(`/other?code=evil&state=${state}`);
        await visit(`${redirect.pathname}?code=evil&state=${state.slice(0, -1)}`);
        await visit(`${redirect.pathname}?code=evil`);
        return { code: 'c' };
      },
    });
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400]);
    for (const head of heads) {
      expect(head['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(head['cache-control']).toBe('no-store');
      expect(head['referrer-policy']).toBe('no-referrer');
      expect(head['set-cookie']).toBeUndefined();
    }
    // Only the answer that knew everything was used.
    const exchanges = issuer.heard.filter(({ path }) => path === '/token');
    expect(exchanges.map(({ body }) => new URLSearchParams(body).get('code'))).toEqual(['c']);
  });

  test('waits for a state of its own each time, and for none after it has one', async () => {
    const issuer = await startIssuer();
    const site = await startProtected(issuer.origin);
    const states: (string | null)[] = [];
    for (let i = 0; i < 3; i++)
      await signInAt(`${site.origin}/mcp`, {
        async answer(url) {
          const redirect = url.searchParams.get('redirect_uri');
          for (const old of states) expect((await fetch(`${redirect}?code=x&state=${old}`)).status).toBe(400);
          states.push(url.searchParams.get('state'));
          return { code: `c${i}` };
        },
      });
    expect(new Set(states).size).toBe(3);
    for (const state of states) expect(state?.length).toBeGreaterThanOrEqual(43);
  });
});

describe('an address that a server wants a person to open', () => {
  const ask = async (url: string) => {
    const params = { name: 'asking_ask', arguments: { mode: 'url', message: 'Open this.', url, elicitationId: 'e1' } };
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: modernParams(params, { elicitation: { form: {}, url: {} } }),
    };
    return messageIn(await new PlainClient(holder()).post(JSON.stringify(body), modernHeaders('tools/call', params)));
  };

  test.each([
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'vbscript:msgbox(1)',
    'http://bank.example/',
    'https://bank.example@evil.example/',
    'https://a.example/\u202egnp.exe',
    'no address',
  ])('%s is not put to anybody; the server is told why', async (url) => {
    const { result } = await ask(url);
    expect(result?.['inputRequests']).toBeUndefined();
    expect(JSON.stringify(result)).toContain('address that a person is to open');
  });

  test('of a web page is, as it was written, and nobody opens it before the person', async () => {
    const page = await startIssuer();
    const url = `${page.origin}/authorize?state=%7B%22a%22%3A1%7D&x=%E4#part`;
    const { result } = await ask(url);
    expect(result).toMatchObject({ resultType: 'input_required' });
    const [question] = Object.values(result?.['inputRequests'] as Record<string, { params: { url: string } }>);
    expect(question?.params.url).toBe(url);
    expect(page.heard).toEqual([]);
  });
});
