// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  always,
  freePort,
  LEGACY,
  MODERN,
  runDoctor,
  serveHttp,
  serveHttps,
  serveSocket,
  speakHttp,
  speakSse,
} from './doctor-servers.ts';
import { makeCertificate } from './make-certificate.ts';
import { newTestFolder } from './running-sallyport.ts';

const DAY = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY);

describe('a name or port that leads nowhere', () => {
  test('DNS: an unknown host', async () => {
    const run = await runDoctor(['https://sallyport-test.invalid/mcp', '--json']);
    expect(run.exit).toBe(4);
    expect(run.failed()).toMatchObject({
      step: 'dns',
      detail: expect.stringMatching(/sallyport-test\.invalid.*\((?:ENOTFOUND|EAI_AGAIN)\)/),
      fix: expect.stringMatching(/host|name servers/),
    });
    const after = run.json().targets[0]?.steps.slice(2) ?? [];
    expect(after.map(({ outcome }) => outcome)).toEqual(Array(8).fill('not_reached'));
  });

  test('TCP: a closed port', async () => {
    const run = await runDoctor([`http://localhost:${await freePort()}/mcp`, '--json']);
    expect(run.exit).toBe(4);
    expect(run.step('dns')).toMatchObject({ outcome: 'ok', detail: expect.stringContaining('localhost is ') });
    expect(run.failed()).toMatchObject({
      step: 'tcp',
      detail: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining('Start the server'),
    });
  });

  test.each([
    ['ftp://localhost/mcp', 'neither http:// nor https://'],
    ['http://', 'no URL'],
    ['http://me:secretsecret@localhost/mcp', 'send it in headers'],
  ])('a URL that is none: %s', async (url, says) => {
    const run = await runDoctor([url, '--json']);
    expect(run.exit).toBe(1);
    expect(run.failed()).toMatchObject({ step: 'url', detail: expect.stringContaining(says) });
    expect(run.stdout).not.toContain('secretsecret');
  });
});

describe('TLS', () => {
  const good = makeCertificate({ names: ['localhost', '127.0.0.1'], from: ago(1), until: ago(-90) });
  const expired = makeCertificate({ names: ['localhost'], from: ago(20), until: ago(10) });
  const foreign = makeCertificate({ names: ['mcp.example.com'], from: ago(1), until: ago(-90) });
  const ending = makeCertificate({ names: ['localhost'], from: ago(80), until: ago(-5) });

  test.each([
    ['self-signed', good, /self-signed/, /NODE_EXTRA_CA_CERTS/],
    ['expired', expired, /^The certificate expired on \d{4}-\d\d-\d\d/, /^Renew the certificate/],
    ['wrong name', foreign, /not for localhost but for mcp\.example\.com/, /mcp\.example\.com in the URL/],
  ])('%s', async (_, pair, detail, fix) => {
    const origin = await serveHttps(speakHttp(MODERN), pair);
    const run = await runDoctor([`${origin}/mcp`, '--json']);
    expect(run.exit).toBe(4);
    expect(run.failed()).toMatchObject({
      step: 'tls',
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
  });

  test.each([
    ['expired', expired, /^The certificate expired on [\d-]+\.\n/],
    ['wrong name', foreign, /^The certificate is not for localhost but for mcp\.example\.com\.\n/],
  ])('%s, from a trusted authority', async (_, pair, detail) => {
    const cwd = newTestFolder();
    writeFileSync(join(cwd, 'ca.pem'), pair.cert);
    const origin = await serveHttps(speakHttp(MODERN), pair);
    const run = await runDoctor([`${origin}/mcp`, '--json'], {
      cwd,
      env: { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') },
    });
    expect(run.failed()).toMatchObject({ step: 'tls', detail: expect.stringMatching(detail) });
  });

  test.each([
    ['good', good, 'ok'],
    ['soon to end', ending, 'warning'],
  ])('%s', async (_, pair, outcome) => {
    const cwd = newTestFolder();
    writeFileSync(join(cwd, 'ca.pem'), pair.cert);
    const origin = await serveHttps(speakHttp(MODERN), pair);
    const run = await runDoctor([`${origin}/mcp`, '--json'], {
      cwd,
      env: { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') },
    });
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    expect(run.step('tls')).toMatchObject({
      outcome,
      detail: expect.stringMatching(/^TLSv1\.3, certificate for localhost/),
    });
    expect(run.step('list')).toMatchObject({ outcome: 'ok', detail: expect.stringMatching(/^2 tools/) });
  });

  test('https:// to a port without TLS, and the other way round', async () => {
    const plain = await serveHttp(speakHttp(MODERN));
    const run = await runDoctor([`${plain.replace('http:', 'https:')}/mcp`, '--json']);
    expect(run.failed()).toMatchObject({ step: 'tls', fix: expect.stringContaining('Write http://') });
    const secure = await serveHttps(speakHttp(MODERN), good);
    const other = await runDoctor([`${secure.replace('https:', 'http:')}/mcp`, '--json']);
    expect(other.exit).toBe(4);
    expect(other.failed()).toMatchObject({ step: 'http', fix: 'Write https:// in the URL.' });
  });
});

describe('HTTP answers that are not those of an MCP server', () => {
  const html = { 'content-type': 'text/html' };
  test.each<[string, Parameters<typeof always>, number, RegExp, RegExp]>([
    [
      '404',
      [404, html, '<h1>Not Found</h1>'],
      4,
      /404 \(text\/html\): there is nothing at this path/,
      /\/mcp, older ones at \/sse/,
    ],
    ['405', [405], 4, /405: this address does not take MCP messages/, /path of the URL/],
    ['500', [500, {}, 'database gone'], 4, /failed inside. It says: database gone/, /log of the server/],
    ['503', [503, { 'retry-after': '7' }], 4, /server behind it is down/, /proxy/],
    ['429', [429, { 'retry-after': '7' }], 4, /asks to wait: 7/, /Wait/],
    ['a web page', [200, html, '<!doctype html><title>Welcome</title>'], 4, /web page.*Welcome/, /\/mcp/],
    [
      'a redirect',
      [307, { location: '/mcp/' }],
      4,
      /redirects to http:\/\/localhost:\d+\/mcp\//,
      /Write http.*\/mcp\/ as the URL/,
    ],
    [
      'a sign-in page',
      [302, { location: 'https://id.example.com/login?next=1' }],
      4,
      /id\.example\.com\/login/,
      /sign-in page/,
    ],
    [
      'other JSON',
      [200, { 'content-type': 'application/json' }, '{"ok":true}'],
      4,
      /no message of MCP.*\{"ok":true\}/,
      /path/,
    ],
    ['nothing', [200], 4, /answer is empty/, /path/],
  ])('%s', async (_, answer, exit, detail, fix) => {
    const run = await runDoctor([`${await serveHttp(always(...answer))}/mcp`, '--json']);
    expect(run.exit).toBe(exit);
    expect(run.failed()).toMatchObject({
      step: 'http',
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
  });

  test('a wrong path: the right one is found', async () => {
    const origin = await serveHttp(speakHttp(LEGACY));
    const run = await runDoctor([`${origin}/api`, '--json']);
    expect(run.failed()).toMatchObject({ step: 'http', fix: expect.stringContaining(`Write ${origin}/mcp:`) });
  });

  test('garbage', async () => {
    const port = await serveSocket((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
    const run = await runDoctor([`http://localhost:${port}/mcp`, '--json', '--timeout', '2s']);
    expect(run.exit).toBe(4);
    expect(run.failed()).toMatchObject({ step: 'http', detail: expect.stringContaining('does not speak HTTP (HPE_') });
  });

  test('a connection that is closed', async () => {
    const port = await serveSocket((socket) => socket.once('data', () => socket.end()));
    const run = await runDoctor([`http://localhost:${port}/mcp`, '--json', '--timeout', '2s']);
    expect(run.failed()).toMatchObject({ step: 'http', fix: expect.stringContaining('log of the server') });
  });

  test('never', async () => {
    const port = await serveSocket(() => {});
    const run = await runDoctor([`http://localhost:${port}/mcp`, '--json', '--timeout', '1s']);
    expect(run.exit).toBe(4);
    expect(run.failed()).toMatchObject({ step: 'http', detail: expect.stringContaining('no HTTP answer within 1 s') });
  });

  test('a head without an end', async () => {
    const origin = await serveHttp((_, response) => void response.writeHead(200, html).write('<html>'));
    const run = await runDoctor([`${origin}/mcp`, '--json', '--timeout', '1s']);
    expect(run.failed()).toMatchObject({ step: 'http', detail: expect.stringContaining('did not end in time') });
  });
});

describe('authentication', () => {
  const SECRET = 'sk-very-secret-0123456789';

  test.each<[string, string[], Parameters<typeof always>, RegExp, RegExp]>([
    [
      '401 without credentials',
      [],
      [401, { 'www-authenticate': 'Bearer realm="x"' }],
      /401: .*no credentials were sent[\s\S]*Bearer realm="x"/,
      /--header "Authorization: Bearer <token>"/,
    ],
    ['401 Basic', [], [401, { 'www-authenticate': 'Basic realm="x"' }], /no credentials/, /Basic <base64/],
    [
      '401 OAuth',
      [],
      [401, { 'www-authenticate': 'Bearer resource_metadata="https://x/y"' }],
      /no credentials/,
      /offers OAuth/,
    ],
    [
      '401 with a bad key',
      ['--header', `Authorization: Bearer ${SECRET}`],
      [401, { 'www-authenticate': `Bearer error="invalid_token", error_description="${SECRET} is bad"` }],
      /header Authorization was sent/,
      /Get a new one/,
    ],
    [
      '403 scope',
      ['--header', `X-Api-Key: ${SECRET}`],
      [403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="mcp:tools"' }, `no ${SECRET}`],
      /do not allow this/,
      /scope mcp:tools/,
    ],
    ['403 host', [], [403, {}, 'Invalid Host'], /refuses this request.*Invalid Host/, /allow this host/],
  ])('%s', async (_, options, answer, detail, fix) => {
    const origin = await serveHttp(always(...answer));
    const run = await runDoctor([`${origin}/mcp`, '--json', ...options]);
    expect(run.exit).toBe(3);
    expect(run.step('http')).toMatchObject({ outcome: 'ok' });
    expect(run.failed()).toMatchObject({
      step: 'authentication',
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
    expect(run.stdout + run.stderr).not.toContain(SECRET);
  });

  test('of a saved server: the key of the file is named', async () => {
    const cwd = newTestFolder();
    const url = `${await serveHttp(always(401))}/mcp`;
    writeFileSync(join(cwd, 'sallyport.json'), JSON.stringify({ mcpServers: { 'my-hub': { url } } }));
    const run = await runDoctor(['my-hub', '--json'], { cwd });
    expect(run.exit).toBe(3);
    expect(run.failed().fix).toContain('"headers": {"Authorization": "Bearer ${MY_HUB_TOKEN}"} into "my-hub" in ');
  });
});

describe('servers that work', () => {
  test.each<[string, () => Promise<string>, RegExp, RegExp]>([
    [
      'legacy over HTTP',
      async () => `${await serveHttp(speakHttp(LEGACY))}/mcp`,
      /initialize over Streamable HTTP/,
      /^legacy, revision 2025-11-25; it calls itself legacy 1/,
    ],
    [
      'modern over HTTP',
      async () => `${await serveHttp(speakHttp(MODERN))}/mcp`,
      /server\/discover over Streamable HTTP/,
      /^modern, revision 2026-07-28/,
    ],
    [
      'SSE',
      async () => `${await serveHttp(speakSse(LEGACY))}/sse`,
      /initialize over HTTP\+SSE/,
      /^legacy, revision 2025-11-25/,
    ],
  ])('%s', async (_, start, discovery, era) => {
    const run = await runDoctor([await start(), '--json']);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    expect(run.json().ok).toBe(true);
    expect(run.step('discovery').detail).toMatch(discovery);
    expect(run.step('era').detail).toMatch(era);
    expect(run.step('capabilities').detail).toContain('tools');
    expect(run.step('list').detail).toMatch(/^\d tools?, listed in/);
  });

  test.each<[string, string[], () => Promise<string>, RegExp]>([
    ['asked for SSE', ['--type', 'sse'], async () => `${await serveHttp(speakHttp(LEGACY))}/mcp`, /"type": "http"/],
    ['asked for HTTP', ['--type', 'http'], async () => `${await serveHttp(speakSse(LEGACY))}/sse`, /"type": "sse"/],
    ['asked for modern', ['--era', 'modern'], async () => `${await serveHttp(speakHttp(LEGACY))}/mcp`, /--era auto/],
  ])('%s, and it is not', async (_, options, start, fix) => {
    const run = await runDoctor([await start(), '--json', ...options]);
    expect(run.exit).toBe(4);
    expect(run.failed().fix).toMatch(fix);
  });

  test('for people: each step on its line, with time and fix', async () => {
    const run = await runDoctor([`${await serveHttp(always(404))}/nope`]);
    expect(run.stdout).toMatch(/^ {2}✓ URL +http:\/\/localhost:\d+\/nope.* \(\d+ ms\)$/m);
    expect(run.stdout).toMatch(/^ {2}✗ HTTP .*\n +Fix: Correct the path/m);
    expect(run.stdout).toMatch(/^ {2}– era +not reached$/m);
    expect(run.stdout).toMatch(/Something is wrong with localhost-\d+\.\n$/);
  });
});
