import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assertHostIsSafe, authenticateByKeys } from './callers.ts';
import { type HttpServing, serveHttp } from './http.ts';
import { defineServer, defineTool, field, type KitServer, z } from './kit.ts';
import { createJobs } from './tasks/jobs.fixture.ts';

const ADA = 'ada-key-0123456789';
const BOB = 'bob-key-0123456789';
const KEYS = `ada=${ADA}, bob=${BOB}`;
const asked = (authorization?: string) => ({ headers: { authorization } }) as IncomingMessage;

describe('keys', () => {
  const authenticate = authenticateByKeys(KEYS);
  test.each([
    [`Bearer ${ADA}`, 'ada'],
    [`bearer ${BOB}`, 'bob'],
    [`Bearer ${ADA}x`, undefined],
    [`Bearer ${ADA} ${BOB}`, undefined],
    [`Basic ${ADA}`, undefined],
    ['Bearer ', undefined],
    ['Bearer ada', undefined],
    [undefined, undefined],
  ])('%s is %s', (header, caller) => expect(authenticate(asked(header))).toBe(caller));

  test.each(['', ' , ', 'ada', `=${ADA}`, 'ada=short', `ada=${ADA},bob=${ADA}`])(
    '%j is refused, and not shown',
    (text) => {
      const read = () => authenticateByKeys(text);
      expect(read).toThrow(/KIT_KEYS.*Write name=key for each caller/);
      expect(read).not.toThrow(ADA);
    },
  );

  test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('%s needs none', (host) => {
    expect(() => assertHostIsSafe(host, undefined)).not.toThrow();
  });
  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.evil.example', ''])('%j needs one', (host) => {
    expect(() => assertHostIsSafe(host, undefined)).toThrow(/everybody in the network.*KIT_KEYS/);
    expect(() => assertHostIsSafe(host, authenticate)).not.toThrow();
  });

  test('a server that others can reach does not start without', async () => {
    const hello = fileURLToPath(new URL('../../../servers/hello-world-mcp-server/dist/main.js', import.meta.url));
    const child = spawn(process.execPath, [hello, '-t', 'http', '--host', '0.0.0.0', '--port', '0']);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    expect((await once(child, 'close'))[0]).toBe(2);
    expect(stderr).toContain('At 0.0.0.0 everybody in the network could call this server. Write name=key');
  });
});

describe('callers over HTTP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kit-callers-'));
  let runs = 0;
  const limited = defineTool({
    name: 'count_add_one',
    title: 'Count',
    description: 'Adds one to the count and returns it.',
    input: {},
    output: { caller: field('Who called', z.string()), count: field('The count', z.number()) },
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    perMinute: 2,
    run: (_, { caller = 'nobody' }) => ({ caller, count: ++runs }),
  });
  const servers: KitServer[] = [];
  let counting: HttpServing;
  let jobs: HttpServing;
  const listen = (server: KitServer) => {
    servers.push(server);
    const authenticate = authenticateByKeys(KEYS);
    return serveHttp(server, { host: '127.0.0.1', port: 0, allowedHosts: ['mcp.example'], authenticate, hasSse: true });
  };
  const listenToCount = () =>
    listen(defineServer({ name: 'count-mcp-server', version: '1.0.0', tools: [limited], note: () => {} }));
  beforeAll(async () => {
    counting = await listenToCount();
    jobs = await listen(createJobs(folder));
  });
  afterAll(async () => {
    await Promise.all([counting.close(), jobs.close()]);
    for (const server of servers) await server.close();
    rmSync(folder, { recursive: true });
  });

  const at = (path: string) => new URL(path, counting.url);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  async function connect(key: string, how: 'modern' | 'legacy' | 'sse', url: string): Promise<Client> {
    const mode = how === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: bearer(key) };
    await client.connect(
      how === 'sse'
        ? new SSEClientTransport(new URL('/sse', url), { requestInit })
        : new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }),
    );
    return client;
  }
  const call = async (client: Client, meta: object = {}) =>
    (await client.callTool({ name: 'count_add_one', arguments: {}, _meta: { ...meta } })) as {
      isError?: boolean;
      structuredContent?: { caller: string; count: number };
    };

  test.each(['/mcp', '/sse', '/message?sessionId=x', '/other'])(
    'without a key, %s says what is missing',
    async (path) => {
      for (const headers of [{}, bearer('wrong'), { 'x-key': ADA }] as Record<string, string>[]) {
        const response = await fetch(at(path), { headers });
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        expect(await response.text()).toContain('Authorization: Bearer KEY');
      }
    },
  );

  test.each(['modern', 'legacy', 'sse'] as const)(
    'limits and idempotency keys are those of one caller, %s',
    async (how) => {
      const { url, close } = await listenToCount();
      const [ada, bob] = [await connect(ADA, how, url), await connect(BOB, how, url)];
      const key = { 'io.sallyport/idempotencyKey': how };
      const first = await call(ada, key);
      expect(first.structuredContent?.caller).toBe('ada');
      expect((await call(bob, key)).structuredContent).toEqual({ caller: 'bob', count: runs });
      expect((await call(ada, key)).structuredContent).toEqual(first.structuredContent);
      expect((await call(ada)).isError).toBe(true);
      expect((await call(bob)).isError).toBeUndefined();
      await Promise.all([ada.close(), bob.close()]);
      await close();
    },
  );

  test("a session and a stream are nobody else's", async () => {
    const body = JSON.stringify({ ...{ jsonrpc: '2.0', id: 1, method: 'initialize' }, params: INITIALIZE });
    const post = (path: string, key: string, headers: Record<string, string> = {}) =>
      fetch(at(path), { method: 'POST', body, headers: { ...JSON_HEADERS, ...bearer(key), ...headers } });
    const session = (await post('/mcp', ADA)).headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('');
    expect((await post('/mcp', BOB, { 'mcp-session-id': session })).status).toBe(404);
    const stream = await fetch(at('/sse'), { headers: bearer(ADA) });
    const reader = stream.body?.getReader();
    const path = /data: (\S+)/.exec(new TextDecoder().decode((await reader?.read())?.value))?.[1] ?? '';
    expect((await post(path, BOB)).status).toBe(404);
    expect((await post(path, ADA)).status).toBe(202);
    await reader?.cancel();
  });

  test("a task is nobody else's", async () => {
    const send = async (key: string, method: string, params: Record<string, unknown>) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
      };
      const response = await fetch(new URL('/mcp', jobs.url), {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
        headers: {
          ...{ ...JSON_HEADERS, ...bearer(key), 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
          'mcp-name': String(params['taskId'] ?? params['name']),
        },
      });
      return (await response.json()) as { result?: Record<string, unknown>; error?: { code: number } };
    };
    const started = await send(ADA, 'tools/call', { name: 'jobs_wait_file', arguments: { name: 'never' } });
    const taskId = started.result?.['taskId'];
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await send(BOB, method, { taskId })).error?.code).toBe(-32602);
    expect((await send(ADA, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
  });

  test.each([
    ['evil.example', 403],
    ['mcp.example', 404],
    ['localhost', 404],
    ['127.0.0.1', 404],
  ])('the Host %s gets %s', async (host, status) => {
    const { hostname, port } = at('/none');
    const sent = request({ hostname, port, path: '/none', headers: { host: `${host}:${port}`, ...bearer(ADA) } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(status);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no database'))],
    ['names nobody', () => ''],
  ])('a hook that %s lets nobody in', async (_, authenticate) => {
    const server = defineServer({ name: 'none-mcp-server', version: '1.0.0', tools: [limited] });
    const one = await serveHttp(server, { host: '127.0.0.1', port: 0, allowedHosts: [], authenticate, hasSse: false });
    expect((await fetch(one.url)).status).toBe(401);
    await one.close();
    await server.close();
  });

  const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
});
