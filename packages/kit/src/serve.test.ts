import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';

const HELLO = fileURLToPath(new URL('../../../servers/hello-world-mcp-server/dist/main.js', import.meta.url));
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
});

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [HELLO, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  running.push(child);
  return child;
}

/** Its address, once it says that it listens. */
async function listening(child: ChildProcess): Promise<URL> {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const url = /listens at (\S+)/.exec(said)?.[1];
    if (url !== undefined) return new URL(url);
  }
  throw new Error(`it ended: ${said}`);
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

const client = (era: 'legacy' | 'modern') =>
  new Client(
    { name: 'kit-test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );

describe('one server, by a flag', () => {
  test.each(['legacy', 'modern'] as const)('over stdio, %s', async (era) => {
    const one = client(era);
    await one.connect(new StdioClientTransport({ command: process.execPath, args: [HELLO] }));
    expect(await one.callTool({ name: 'hello_say_greeting', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await one.close();
  });

  test.each(['legacy', 'modern'] as const)('over Streamable HTTP, %s', async (era) => {
    const child = start('-t', 'http', '--port', '0');
    const one = client(era);
    await one.connect(new StreamableHTTPClientTransport(await listening(child)));
    expect((await one.listTools()).tools).toHaveLength(1);
    expect(await one.callTool({ name: 'hello_say_greeting', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await one.close();
    child.kill();
    expect((await once(child, 'exit'))[0]).toBe(143);
  });

  test('over HTTP+SSE', async () => {
    const child = start('-t', 'sse', '--port', '0');
    const one = client('legacy');
    await one.connect(new SSEClientTransport(await listening(child)));
    expect(await one.callTool({ name: 'hello_say_greeting', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await one.close();
  });
});

describe('bad input to the command line', () => {
  test('a port in use is named, with the way out', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const { code, stderr, stdout } = await ended(start('-t', 'http', '--port', String(port)));
    expect(stderr).toBe(`Port ${port} of 127.0.0.1 is in use. Choose another with --port, or 0 for any free one.\n`);
    expect([code, stdout]).toEqual([1, '']);
    blocker.close();
  });

  test('an unknown transport and a wrong port are refused with the usage', async () => {
    const wrong = await ended(start('-t', 'carrier-pigeon'));
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('stdio, http or sse, not "carrier-pigeon"'),
    ]);
    expect((await ended(start('--port', 'x'))).code).toBe(2);
    expect(await ended(start('--help'))).toMatchObject({ code: 0, stdout: expect.stringContaining('--allowed-host') });
  });
});

describe('who may ask', () => {
  test('a strange Host and a strange Origin are refused', async () => {
    const url = await listening(start('-t', 'http', '--port', '0'));
    const post = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...headers } });
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({})).status).not.toBe(403);
  });

  test('too much, and what is not JSON, gets an answer that says so', async () => {
    const url = await listening(start('-t', 'http', '--port', '0'));
    const post = async (body: string) => {
      const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      return [response.status, await response.text()];
    };
    expect(await post('{')).toEqual([400, expect.stringContaining('not JSON')]);
    expect((await post(`"${'x'.repeat(5_000_000)}"`))[0]).toBe(413);
  });
});

const KIT = fileURLToPath(new URL('../dist/kit.js', import.meta.url));

/** A server written in a line, in a process of its own. @param run body of its tool */
function startWith(run: string, ...args: string[]): ChildProcess {
  const source = `
    import { defineServer, defineTool, field, z } from ${JSON.stringify(KIT)};
    const tool = defineTool({
      name: 'noise_make_some', title: 'Make noise', description: 'Makes noise on every channel there is.',
      input: {}, output: { said: field('What it said', z.string()) },
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      run: async (_, context) => { ${run} },
    });
    await defineServer({ name: 'noise-mcp-server', version: '1.0.0', tools: [tool], note: () => {} })
      .serve({ args: ${JSON.stringify(args)} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['pipe', 'pipe', 'pipe'] });
  running.push(child);
  return child;
}

test('nothing that a tool prints reaches the client on stdio', async () => {
  const child = startWith(
    `console.log('noise'); console.dir({ noise: 1 }); console.table([1]); process.stdout.write('noise\\n');
     return { said: 'done' };`,
  );
  const done = ended(child);
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => String(chunk).includes('"id":2') && resolve());
  });
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'noise_make_some', arguments: {} } });
  await answered;
  child.stdin?.end();
  const { stdout, stderr } = await done;
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(stderr.match(/noise/g)?.length).toBeGreaterThanOrEqual(3);
});

describe('clients that behave badly', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };

  /** Opens a stream of HTTP+SSE and reads where it takes messages. */
  async function openStream(url: URL) {
    const response = await fetch(new URL('/sse', url));
    const reader = response.body?.getReader();
    const text = new TextDecoder().decode((await reader?.read())?.value);
    const path = /data: (\S+)/.exec(text)?.[1];
    const post = (body: unknown) =>
      fetch(new URL(path ?? '/', url), {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    return { status: response.status, reader, post, cancel: () => reader?.cancel() };
  }

  test('too many streams of HTTP+SSE: the one that is idle longest ends, the others go on', async () => {
    const url = await listening(start('-t', 'sse', '--port', '0'));
    const first = await openStream(url);
    const others = [];
    for (let i = 0; i < 1_000; i += 50)
      others.push(...(await Promise.all(Array.from({ length: 50 }, () => openStream(url)))));
    expect((await first.reader?.read())?.done).toBe(true);
    expect((await first.post(initialize)).status).toBe(404);
    expect((await others.at(-1)?.post(initialize))?.status).toBe(202);
    for (const other of others) await other.cancel();
  });

  test('a message that is none is refused on HTTP+SSE', async () => {
    const url = await listening(start('-t', 'sse', '--port', '0'));
    const stream = await openStream(url);
    for (const body of [null, 'text', 5, [], { jsonrpc: '2.0' }, { id: 1, method: 'ping' }])
      expect((await stream.post(body)).status).toBe(400);
    expect((await stream.post(initialize)).status).toBe(202);
    await stream.cancel();
  });

  test('a client that never reads its stream is dropped before it fills the memory', async () => {
    const child = startWith(`return { said: 'x'.repeat(20_000) };`, '-t', 'sse', '--port', '0');
    const url = await listening(child);
    const socket = connect(Number(url.port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /sse HTTP/1.1\r\nhost: localhost\r\n\r\n');
    let head = '';
    while (!head.includes('sessionId=')) head += String((await once(socket, 'data'))[0]);
    socket.pause();
    const path = /data: (\S+)/.exec(head)?.[1] ?? '';
    const post = async (body: unknown) =>
      (
        await fetch(new URL(path, url), {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        })
      ).status;
    await post(initialize);
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    let status = 202;
    let calls = 0;
    while (status === 202 && calls++ < 3_000)
      status = await post({
        jsonrpc: '2.0',
        id: calls + 1,
        method: 'tools/call',
        params: { name: 'noise_make_some', arguments: {} },
      });
    expect(status).toBe(404);
    socket.destroy();
  });

  test('a client that leaves while its call runs, and requests that are no requests, harm nobody', async () => {
    const child = startWith(
      `await new Promise((resolve) => context.signal.addEventListener('abort', resolve)); return { said: 'late' };`,
      '-t',
      'sse',
      '--port',
      '0',
    );
    const url = await listening(child);
    const stream = await openStream(url);
    await stream.post(initialize);
    await stream.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await stream.post({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'noise_make_some', arguments: {} },
    });
    await stream.cancel();
    const status = async (method: string, path: string) =>
      new Promise((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port: url.port, method, path }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.on('error', reject).end();
      });
    expect(await status('GET', '//')).toBe(404);
    expect(await status('TRACE', '/mcp')).toBe(405);
    expect(await status('PUT', '/mcp')).toBe(405);
    const other = await openStream(url);
    expect((await other.post(initialize)).status).toBe(202);
    await other.cancel();
    expect(child.exitCode).toBeNull();
  });
});
