import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Target } from '../load/connection.ts';
import { median, percentiles } from '../load/latency.ts';
import { startNode } from '../process/child.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport } from '../programs/sallyport.ts';
import { atMost, type FaultMeasure, type FaultPlace } from './figure.ts';
import { agent, call, read, send, startSession } from './mixed-calls.ts';

const SERVER = fileURLToPath(new URL('flooding-server.js', import.meta.url));
const KINDS = ['message', 'progress', 'tools/list_changed', 'resources/updated'] as const;
const ROUNDS = 5;
const WINDOW_MS = 1_500;
/** The first moments of a flood are what the rate allows at once. */
const SETTLE_MS = 1_000;

interface FloodRow {
  readonly table: 'flood';
  readonly via: string;
  readonly kind: string;
  readonly quietMs: number;
  readonly floodMs: number;
  readonly ratio: number;
}

/** What calls of one server take while another server says notifications as fast as it can, beside what they take when it is quiet. */
export async function measureFlood({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
  const web = startNode({ args: [SERVER, 'http'] });
  const address = JSON.parse(await web.stdoutLine) as { port: number };
  const servers = {
    echo: { url: `http://127.0.0.1:${port}/mcp` },
    stdio: { command: process.execPath, args: [SERVER] },
    http: { url: `http://127.0.0.1:${address.port}/mcp` },
  };
  const options = { via: 'http', upstreamUrl: '', directory: join(folder, 'gateway'), nodeFlags: [] } as const;
  const { child, target: ready } = await launchSallyport(servers, options, { sections: {} });
  const target = await ready;
  const listeners = [await openSession(target), await openSession(target)];
  const rows: FloodRow[] = [];
  for (const via of ['stdio', 'http']) {
    for (const kind of KINDS) {
      const row = { table: 'flood' as const, via, kind, ...(await compare(target, via, kind)) };
      progress(JSON.stringify(row));
      rows.push(row);
    }
  }
  for (const listener of listeners) listener.destroy();
  agent.destroy();
  await Promise.all([child?.stop(), upstream.stop(), web.stop()]);
  const worst = Math.max(...rows.map(({ ratio }) => ratio));
  return { figures: [atMost('faults.flood_p50', worst, { goal: 1.2, unit: 'times' })], rows };
}

async function compare(target: Target, via: string, kind: string) {
  const quiet: number[] = [];
  const flooded: number[] = [];
  await measureWindow(target);
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(await measureWindow(target));
    // Where it belongs to a call, the call goes on.
    void call(target, `${via}_flood`, { kind }).catch(() => {});
    await passed(SETTLE_MS);
    flooded.push(await measureWindow(target));
    await call(target, `${via}_flood`, {});
  }
  const [quietMs, floodMs] = [median(quiet), median(flooded)];
  return { quietMs, floodMs, ratio: Math.round((floodMs / quietMs) * 100) / 100 };
}

/** The middle of what calls one after the other take. Milliseconds. */
async function measureWindow(target: Target): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + WINDOW_MS;
  for (let startedAt = performance.now(); startedAt < end; startedAt = performance.now()) {
    await call(target, 'echo_echo', { text: 'hello' });
    times.push(performance.now() - startedAt);
  }
  return percentiles(Float64Array.from(times)).p50;
}

/** A session that hears whatever servers say outside of calls. */
async function openSession(target: Target): Promise<IncomingMessage> {
  const session = await startSession(target);
  const level = { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'debug' } };
  await read(await send(target, level, session));
  const stream = await send(target, 'GET', session);
  stream.resume();
  return stream;
}
