import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from './matrix/raw-client.ts';

const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** Servers of other people, and the entry of each in a configuration file. */
export interface RealServers {
  /** A directory that server-filesystem may use. */
  readonly home: string;
  readonly entries: Readonly<Record<string, Entry>>;
  stop(): Promise<void>;
}

export interface Entry {
  readonly type?: 'http' | 'sse';
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly startTimeoutMs?: number;
}

/** Eight programs of some hundred modules each start at once: on a loaded machine that is more than the default. */
const startTimeoutMs = 120_000;

export async function startRealServers(): Promise<RealServers> {
  const home = mkdtempSync(join(tmpdir(), 'real-servers-'));
  const stops: (() => Promise<void>)[] = [];
  const listening = async (mode: string) => {
    const port = await findPort();
    stops.push(await listen([everything, mode], port));
    return `http://127.0.0.1:${port}`;
  };
  const entries: Record<string, Entry> = {
    everything: toChild(everything, ['stdio']),
    'everything-sse': { type: 'sse', url: `${await listening('sse')}/sse`, startTimeoutMs },
    'everything-http': { type: 'http', url: `${await listening('streamableHttp')}/mcp`, startTimeoutMs },
    filesystem: toChild(require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), [home]),
    memory: toChild(require.resolve('@modelcontextprotocol/server-memory/dist/index.js'), [], {
      MEMORY_FILE_PATH: join(home, 'memory.jsonl'),
    }),
    'sequential-thinking': toChild(require.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js')),
    'chrome-devtools': toChild(toBin('chrome-devtools-mcp'), ['--headless'], {
      CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1',
      CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1',
    }),
    context7: toChild(toBin('@upstash/context7-mcp')),
  };
  return {
    home,
    entries,
    async stop() {
      for (const stop of stops) await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function toChild(script: string, args: readonly string[] = [], env: Record<string, string> = {}): Entry {
  return { command: process.execPath, args: [script, ...args], env, startTimeoutMs };
}

/** The program a package calls by its own name. */
function toBin(name: string): string {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest) as { bin: Record<string, string> };
  return join(manifest, '..', bin[name.slice(name.indexOf('/') + 1)] ?? '');
}

/** A port nobody has at this moment: these servers cannot be told to choose one and say which. */
function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Resolves when the server says that it listens, with how to stop it. */
async function listen(args: readonly string[], port: number): Promise<() => Promise<void>> {
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000);
      if (said.includes(`port ${port}`)) resolve();
    });
    child.once('close', (code) => reject(new Error(`exit code ${code}: ${said}`)));
  });
  await within(ready, () => `${args.join(' ')} is not up: ${said}`);
  return async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  };
}
