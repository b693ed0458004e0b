import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { fetchJson } from './fetch-json.ts';
import { createIssuerKeys } from './issuer-keys.ts';

let base: string;
let heard: string[] = [];
const server = createServer((request, response) => {
  heard.push(request.url ?? '');
  const send = (body: string, status = 200, headers = {}) => response.writeHead(status, headers).end(body);
  switch (request.url) {
    case '/good':
      return send('{"a":1}');
    case '/moved':
      return send('', 302, { location: 'http://169.254.169.254/latest' });
    case '/large':
      return send(`{"a":"${'x'.repeat(300_000)}"}`);
    case '/broken':
      return send('{"a":');
    case '/list':
      return send('[]');
    case '/.well-known/oauth-authorization-server':
      return send(JSON.stringify({ issuer: base, jwks_uri: 'http://169.254.169.254/keys' }));
    case '/.well-known/oauth-authorization-server/other':
      return send(JSON.stringify({ issuer: base, jwks_uri: `${base}/good` }));
    default:
      return send('no', 404);
  }
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test('reads a document', async () => {
  expect(await fetchJson(`${base}/good`, 'loopback')).toEqual({ a: 1 });
  expect(await fetchJson(`${base.replace('127.0.0.1', 'localhost')}/good`, 'any')).toEqual({ a: 1 });
});

test.each([
  ['/moved', 'status 302'],
  ['/large', 'larger than'],
  ['/broken', 'broke off or is no JSON'],
  ['/list', 'no JSON object'],
  ['/none', 'status 404'],
])('%s is refused', async (path, why) => {
  await expect(fetchJson(base + path, 'loopback')).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining(why),
  });
});

test.each<[string, 'public' | 'loopback' | 'any']>([
  ['http://127.0.0.1/x', 'public'],
  ['https://127.0.0.1/x', 'public'],
  ['https://localhost/x', 'public'],
  ['https://[::ffff:127.0.0.1]/x', 'public'],
  ['https://[::1]/x', 'public'],
  ['https://0x7f.1/x', 'public'],
  ['https://2130706433/x', 'public'],
  ['https://169.254.169.254/x', 'public'],
  ['https://10.0.0.1/x', 'public'],
  ['https://[fd00::1]/x', 'public'],
  ['http://login.example.com/x', 'public'],
  ['http://10.0.0.1/x', 'any'],
  ['https://10.0.0.1/x', 'loopback'],
  ['https://169.254.169.254/x', 'loopback'],
  ['file:///etc/passwd', 'any'],
  ['javascript:alert(1)', 'any'],
  ['no address', 'any'],
])('%s is not asked (%s)', async (url, reach) => {
  await expect(fetchJson(url, reach)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/address may not be asked|ADDRESS_NOT_ALLOWED/),
  });
});

test('metadata that leads to a private address, or is another issuer’s, gives no keys', async () => {
  for (const issuer of [base, `${base}/other`]) {
    heard = [];
    const settings = {
      issuer,
      audience: [],
      jwksUri: undefined,
      scopesClaim: 'scope',
      groupsClaim: undefined,
      personClaim: 'sub',
      attributes: {},
      privateNetwork: false,
    };
    const keys = createIssuerKeys(settings, { fetchJson, clock: { now: () => 0 }, log: silentLog });
    await expect(keys.find('x')).rejects.toMatchObject({ code: 'overloaded' });
    expect(heard.length).toBeGreaterThan(0);
    expect(heard).not.toContain('/good');
  }
});
