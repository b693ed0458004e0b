import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
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
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use. Choose another with --port`);
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
