import { beforeAll, describe, expect, test } from 'vitest';
import { exchange, RawConnection } from './http-exchange.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** DNS rebinding and pages of other sites (checklist 6, reliability row 20): on by default, on every path. */

let gateway: RunningGateway;
let host: string;
beforeAll(async () => {
  const upstream = await startHttpUpstream();
  gateway = await startGateway({
    gateway: { allowedOrigins: ['https://app.example'], allowedHosts: ['gate.example'] },
    mcpServers: { up: { url: upstream.url } },
    bundles: { set: { tools: ['up.*'] } },
  } as Record<string, unknown>);
  host = new URL(gateway.origin).host;
});

/** Method, path, and what an honest request is answered. */
const PATHS: [string, string, number][] = [
  ['POST', '/mcp', 200],
  ['GET', '/mcp', 405],
  ['DELETE', '/mcp', 400],
  ['POST', '/servers/up/mcp', 200],
  ['POST', '/bundles/set/mcp', 200],
  ['POST', '/message?sessionId=x', 404],
  ['POST', '/servers/up/message?sessionId=x', 404],
  ['GET', '/api/v1/servers', 200],
  ['GET', '/.well-known/oauth-protected-resource', 404],
  ['GET', '/.well-known/oauth-protected-resource/mcp', 404],
  ['GET', '/metrics', 404],
  ['GET', '/healthz', 200],
  ['GET', '/nothing', 404],
  ['OPTIONS', '/mcp', 405],
];

/** Streams, which do not end by themselves. */
const STREAMS: [string, string, number][] = [
  ['GET', '/sse', 200],
  ['GET', '/servers/up/sse', 200],
  ['GET', '/bundles/set/sse', 200],
  ['GET', '/api/v1/events', 200],
];

const HOSTS: [string, string][] = [
  ['another name', 'evil.example'],
  ['a name that resolves to this machine', 'localtest.me'],
  ['a name that begins like ours', '127.0.0.1.evil.example'],
  ['a name that ends like ours', 'evil-localhost'],
  ['a name below ours', 'x.localhost'],
  ['an address of the network', '192.168.0.1'],
  ['any address', '0.0.0.0'],
  ['any address, version 6', '[::]'],
  ['this machine in hexadecimal', '0x7f.1'],
  ['this machine as a number', '2130706433'],
  ['this machine in octal', '0177.0.0.1'],
  ['another address of this machine', '127.0.0.2'],
  ['this machine, wrapped', '[::ffff:127.0.0.1]'],
  ['a user name before it', 'localhost@evil.example'],
  ['a port that is none', 'localhost:port'],
  ['two ports', 'localhost:80:81'],
  ['a port beyond all', 'localhost:65536'],
  ['a dot at the end', 'localhost.'],
  ['a blank within', 'localhost evil.example'],
  ['a list', 'localhost, evil.example'],
  ['an address of the web', 'http://localhost'],
  ['a path', 'localhost/x'],
  ['nothing', ''],
];

const ORIGINS: [string, string][] = [
  ['null', 'null'],
  ['another site', 'https://evil.example'],
  ['another site on this port', 'http://evil.example:7411'],
  ['a site that begins like ours', 'http://localhost.evil.example'],
  ['a site that ends like ours', 'https://evil-app.example'],
  ['a site below an allowed one', 'https://x.app.example'],
  ['an allowed site without TLS', 'http://app.example'],
  ['an allowed site on another port', 'https://app.example:8443'],
  ['an allowed site with a path', 'https://app.example/'],
  ['an allowed site in capitals', 'HTTPS://APP.EXAMPLE'],
  ['two sites', 'https://app.example https://evil.example'],
  ['two sites with a comma', 'https://app.example, https://evil.example'],
  ['a user name', 'http://localhost@evil.example'],
  ['a port that is none', 'http://localhost:x'],
  ['an extension', 'chrome-extension://abcdefghijklmnop'],
  ['a file', 'file://'],
  ['an address of the network', 'http://192.168.0.1'],
  ['any address', 'http://0.0.0.0:7411'],
  ['this machine in hexadecimal', 'http://0x7f.1'],
  ['a site with a star', '*'],
  ['nothing', ''],
];

/** Answer to one request, with these headers instead of the usual ones. */
async function ask(method: string, path: string, headers: Record<string, string>) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams() });
  const all = { ...gateway.headers, ...modernHeaders('tools/list'), ...headers };
  return exchange({ url: gateway.origin + path, method, headers: all, ...(method === 'POST' ? { body } : {}) });
}

test('the honest request, the measure of all below', async () => {
  const answers = await Promise.all(
    PATHS.map(async ([method, path]) => [method, path, (await ask(method, path, {})).status]),
  );
  expect(answers).toEqual(PATHS);
});

describe.each([...PATHS, ...STREAMS])('%s %s', (method, path) => {
  // Probes name an address nobody can know beforehand; docs/gateway.md.
  test.skipIf(path === '/healthz').each(HOSTS)('under the Host of %s is refused', async (_, named) => {
    // Node's client would not write some of these.
    const lines = Object.entries({ ...gateway.headers, ...modernHeaders('tools/list') }).map(
      ([key, value]) => `${key}: ${value}\r\n`,
    );
    const body =
      method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams() }) : '';
    const raw = new RawConnection(gateway.origin).send(
      `${method} ${path} HTTP/1.1\r\nHost: ${named}\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    const statuses = await raw.answered();
    raw.socket.destroy();
    expect(statuses).toHaveLength(1);
    expect([400, 403]).toContain(statuses[0]);
    expect(raw.received).not.toContain('up_echo');
    expect(raw.received).not.toMatch(/access-control-allow-origin/i);
  });

  test.each(ORIGINS)('from the Origin of %s is refused, and no page may read why', async (_, origin) => {
    const { status, headers, body } = await ask(method, path, { origin });
    expect(status).toBe(403);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
    expect(body).not.toContain('up_echo');
  });
});

describe.each(PATHS)('%s %s', (method, path, honest) => {
  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]', 'gate.example', 'gate.example:443', 'localhost:1'])(
    'under the Host of %s is answered',
    async (named) => {
      expect((await ask(method, path, { host: named })).status).toBe(honest);
    },
  );

  test.each(['https://app.example', 'http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'from the Origin of %s is answered, to that page and no other',
    async (origin) => {
      const { status, headers } = await ask(method, path, { origin });
      expect(status).toBe(method === 'OPTIONS' ? 204 : honest);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers.vary).toBe('origin');
    },
  );
});

test('without a Host, and with two, nothing is answered but a refusal', async () => {
  for (const lines of ['', `Host: ${host}\r\nHost: ${host}\r\n`, `Host: ${host}\r\nHost: evil.example\r\n`]) {
    const raw = new RawConnection(gateway.origin).send(`GET /healthz HTTP/1.1\r\n${lines}\r\n`);
    expect([400, 403]).toContain((await raw.answered())[0]);
    raw.socket.destroy();
  }
});

test('a page that has no Origin to show cannot post what is no JSON', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
    expect((await ask('POST', '/mcp', { 'content-type': type })).status).toBe(415);
});
