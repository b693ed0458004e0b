import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { Target } from '../load/connection.ts';
import { type Child, startNode } from '../process/child.ts';
import { programProcesses, usageOf } from '../process/process-tree.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport } from '../programs/sallyport.ts';

const GROWING_SERVERS = join(HTTP_UPSTREAM, '../growing-servers.js');
const FLAGS = ['--expose-gc', `--import=${new URL('../process/report-memory.js', import.meta.url).href}`];
const LOOK_MS = 60_000;
/** Of half a second: what it takes to answer whoever watches it. */
const RESTING_MS = 30;

/** Sallyport in front of servers with many tools. */
export interface GrowingGateway {
  readonly child: Child;
  readonly target: Target;
  /** Milliseconds of processor time, threads included, since it was started. */
  cpuMs(): number;
  /** Waits until it does nothing any more. */
  rest(): Promise<void>;
  /** Bytes after full collections: of heap and typed arrays, and of the whole process. */
  memory(): Promise<Memory>;
  /** An API key of its own. */
  createKey(name: string, groups: readonly string[]): Promise<string>;
  /** One of the servers replaces a tool. The name of the new one. */
  change(server: string): Promise<string>;
  stop(): Promise<void>;
}

export interface Memory {
  readonly used: number;
  readonly rss: number;
}

export interface Shape {
  readonly servers: number;
  readonly each: number;
  /** Of the configuration, beside servers. */
  readonly sections?: Readonly<Record<string, object>>;
}

export async function startGrowing(
  directory: string,
  { servers, each, sections = {} }: Shape,
): Promise<GrowingGateway> {
  const upstream = startNode({ args: [GROWING_SERVERS] });
  const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
  const urlOf = (server: string) => `http://127.0.0.1:${port}/${server}/${each}`;
  const names = Array.from({ length: servers }, (_, i) => `s${i}`);
  const entries = Object.fromEntries(names.map((name) => [name, { url: `${urlOf(name)}/mcp` }]));
  const memoryFile = join(directory, 'memory');
  const profiles = process.env['BENCH_PROFILES'];
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const options = { via: 'http', upstreamUrl: '', directory, nodeFlags: [...flags, ...FLAGS] } as const;
  const { child, target } = await launchSallyport(entries, options, {
    // Every tool is listed: what lists cost is measured here.
    sections: { discovery: { mode: 'off' }, ...sections },
    env: { BENCH_MEMORY: memoryFile },
  });
  if (child === undefined) throw new Error('Sallyport is a process of its own');
  const cpuMs = () => usageOf(programProcesses(child.pid, GROWING_SERVERS)).coarseCpuUs / 1_000;
  return {
    ...{ child, target: await target, cpuMs },
    async rest() {
      for (let quiet = 0, before = cpuMs(); quiet < 4; ) {
        await passed(500);
        const now = cpuMs();
        quiet = now - before <= RESTING_MS ? quiet + 1 : 0;
        before = now;
      }
    },
    memory: () => lookAt(child, memoryFile),
    async createKey(name, groups) {
      const key = await createKey(join(directory, 'state'), { name, groups, account: name });
      await untilKnown(await target, key);
      return key;
    },
    change: async (server) => {
      const answer = await fetch(`${urlOf(server)}/change`, { method: 'POST' });
      return ((await answer.json()) as { name: string }).name;
    },
    async stop() {
      await child.stop(20_000);
      await upstream.stop();
    },
  };
}

async function lookAt(child: Child, file: string): Promise<Memory> {
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  const before = lines().length;
  const until = performance.now() + LOOK_MS;
  process.kill(child.pid, 'SIGUSR2');
  while (lines().length === before) {
    if (performance.now() > until) throw new Error(`no memory was reported: ${child.lastWords()}`);
    await passed(50);
  }
  return JSON.parse(lines().at(-1) ?? '') as Memory;
}

/** The gateway looks for new keys now and then. */
async function untilKnown({ port, path }: Target, key: string): Promise<void> {
  const until = performance.now() + LOOK_MS;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (;;) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: '{}' });
    if (status !== 401) return;
    if (performance.now() > until) throw new Error('a new key is not accepted');
    await passed(100);
  }
}

/** Over its control socket: a command for each of many callers takes half a second. */
function createKey(stateDir: string, body: object): Promise<string> {
  const token = readFileSync(join(stateDir, 'control-token'), 'utf8').trim();
  return new Promise((resolve, reject) => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const options = { socketPath: join(stateDir, 'control.sock'), path: '/api/v1/keys', method: 'POST', headers };
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        const { key } = JSON.parse(text) as { key?: string };
        if (key === undefined) reject(new Error(text));
        else resolve(key);
      });
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });
}
