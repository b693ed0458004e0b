import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export type Maker = 'kit' | 'sdk';
export type Via = 'http' | 'stdio';

/** An echo server in a process of its own, and a client that is connected to it. */
export interface EchoServer {
  readonly pid: number;
  readonly client: Client;
  /** From the start of the process to the first list. Milliseconds. */
  readonly startMs: number;
  stop(): Promise<void>;
}

export async function startEcho(maker: Maker, via: Via): Promise<EchoServer> {
  const file = fileURLToPath(new URL(`${maker}-echo.js`, import.meta.url));
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const startedAt = performance.now();
  if (via === 'stdio') {
    const transport = new StdioClientTransport({ command: process.execPath, args: [file], stderr: 'ignore' });
    await client.connect(transport);
    await client.listTools();
    return { pid: transport.pid ?? -1, client, startMs: performance.now() - startedAt, stop: () => client.close() };
  }
  const args = maker === 'kit' ? ['-t', 'http', '--port', '0'] : ['http'];
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  await client.connect(new StreamableHTTPClientTransport(await addressOf(child.stderr)));
  await client.listTools();
  return {
    pid: child.pid ?? -1,
    client,
    startMs: performance.now() - startedAt,
    async stop() {
      await client.close();
      child.kill();
      await exited;
    },
  };
}

/** Its first words say where it listens; what follows is read and thrown away, so that the pipe never fills. */
function addressOf(stderr: NodeJS.ReadableStream): Promise<URL> {
  return new Promise((resolve, reject) => {
    let said = '';
    stderr.on('data', (chunk) => {
      if (said.length < 4_000) said += String(chunk);
      const url = /listens at (\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(new URL(url));
    });
    stderr.on('end', () => reject(new Error(`the server ended: ${said}`)));
  });
}
