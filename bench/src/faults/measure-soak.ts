import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { Target } from '../load/connection.ts';
import { type Child, startNode } from '../process/child.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport, STDIO_ENTRY } from '../programs/sallyport.ts';
import { atMost, type FaultMeasure, type FaultPlace } from './figure.ts';
import { agent, call, open, read, send, startSession } from './mixed-calls.ts';

/** Minutes before the first look, in which caches fill and code is compiled, and from there to the last. */
const LONG = { warm: 5, measured: 20 };
const QUICK = { warm: 2, measured: 3 };
const RELOAD_MS = 2_000;
const FLAGS = ['--expose-gc', `--import=${new URL('../process/report-memory.js', import.meta.url).href}`];
/** What a run has read is kept for an hour after its last call: shorter than the warm-up, or the figure would be that. */
const SECTIONS = { taint: { idleMs: 60_000 } };
/** A look must come within. */
const LOOK_MS = 10_000;

interface Look {
  readonly used: number;
  readonly rss: number;
}

/** What a Sallyport under mixed traffic keeps, per hour: calls of both eras, sessions, listening streams, reloads. */
export async function measureSoak({ folder, progress, quick }: FaultPlace): Promise<FaultMeasure> {
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
  const servers = { echo: { url: `http://127.0.0.1:${port}/mcp` }, local: STDIO_ENTRY };
  const directory = join(folder, 'gateway');
  const memoryFile = join(folder, 'memory');
  process.env['BENCH_MEMORY'] = memoryFile;
  const options = { via: 'http', upstreamUrl: '', directory, nodeFlags: FLAGS } as const;
  const { child, target: ready } = await launchSallyport(servers, options, { sections: SECTIONS });
  if (child === undefined) throw new Error('Sallyport is a process of its own');
  const target = await ready;
  const traffic = startTraffic(target, join(directory, 'servers.json'));
  const { warm, measured } = quick ? QUICK : LONG;
  await passed(warm * 60_000);
  const first = await lookAt(child, memoryFile);
  progress(JSON.stringify({ table: 'soak', ...first, ...traffic.counts }));
  await passed(measured * 60_000);
  const last = await lookAt(child, memoryFile);
  await traffic.stop();
  const row = { table: 'soak', minutes: measured, first, last, ...traffic.counts };
  progress(JSON.stringify(row));
  agent.destroy();
  await Promise.all([child.stop(), upstream.stop()]);
  const mibPerHour = (last.used - first.used) / 1_048_576 / (measured / 60);
  return { figures: [atMost('faults.soak_mib_h', mibPerHour, { goal: 1, unit: 'MiB/h' })], rows: [row] };
}

async function lookAt(child: Child, file: string): Promise<Look> {
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  const before = lines().length;
  const until = performance.now() + LOOK_MS;
  process.kill(child.pid, 'SIGUSR2');
  while (lines().length === before) {
    if (performance.now() > until) throw new Error(`no memory was reported: ${child.lastWords()}`);
    await passed(50);
  }
  return JSON.parse(lines().at(-1) ?? '') as Look;
}

function startTraffic(target: Target, configFile: string) {
  const counts = { calls: 0, sessions: 0, listens: 0, reloads: 0, failed: 0 };
  let over = false;
  /** One thing after the other, with a pause: the load is to be half of what the machine can do. */
  const again = async (pauseMs: number, work: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !over; round += 1) {
      await work(round).catch(() => {
        counts.failed += 1;
      });
      await passed(pauseMs);
    }
  };
  const modern = async (round: number) => {
    await call(target, round % 2 === 0 ? 'echo_echo' : 'local_echo', { text: `round ${round}` });
    counts.calls += 1;
  };
  const session = async () => {
    const headers = await startSession(target);
    const params = { name: 'echo_echo', arguments: { text: 'in a session' } };
    await read(await send(target, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers));
    await read(await send(target, { jsonrpc: '2.0', id: 3, method: 'tools/list' }, headers));
    await read(await send(target, 'DELETE', headers));
    counts.sessions += 1;
  };
  const listen = async () => {
    const params = { notifications: { toolsListChanged: true } };
    const stream = await open(target, 'subscriptions/listen', params);
    stream.resume();
    await passed(100);
    stream.destroy();
    counts.listens += 1;
  };
  const written = JSON.parse(readFileSync(configFile, 'utf8')) as Record<string, object>;
  const reload = async (round: number) => {
    const gateway = { ...written['gateway'], sessionIdleMs: 60_000 + (round % 2) };
    writeFileSync(`${configFile}.new`, JSON.stringify({ ...written, gateway }));
    renameSync(`${configFile}.new`, configFile);
    counts.reloads += 1;
  };
  const running = Promise.all([
    ...[0, 1, 2, 3].map(() => again(5, modern)),
    again(20, session),
    again(20, listen),
    again(RELOAD_MS, reload),
  ]);
  return {
    counts,
    async stop() {
      over = true;
      await running;
    },
  };
}
