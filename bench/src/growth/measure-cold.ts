import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import { RelayClient } from '../relay/relay-client.ts';
import { type Memory, startGrowing } from './growing-gateway.ts';
import { startWatch } from './health-watch.ts';

const SERVERS = 10;
const EACH = 1_000;
const QUICK_EACH = 100;
const PATIENCE_MS = 120_000;

/** A first start with 10,000 tools: what it costs until all are listed and nothing is left to do, and what they weigh. */
export async function measureCold({ folder, progress, quick }: FaultPlace): Promise<FaultMeasure> {
  const each = quick ? QUICK_EACH : EACH;
  const empty = await startGrowing(join(folder, 'empty'), { servers: SERVERS, each: 1 });
  let before: Memory;
  try {
    await listAll(empty.target, SERVERS);
    await empty.rest();
    before = await empty.memory();
  } finally {
    await empty.stop();
  }
  const gateway = await startGrowing(join(folder, 'cold'), { servers: SERVERS, each });
  try {
    const watch = startWatch(gateway.target);
    const startedAt = gateway.child.startedAt;
    await listAll(gateway.target, SERVERS * each);
    const listedMs = performance.now() - startedAt;
    await gateway.rest();
    const cpuMs = gateway.cpuMs();
    const stallMs = await watch.take();
    await watch.stop();
    const after = await gateway.memory();
    const toolKb = (after.rss - before.rss) / (SERVERS * (each - 1)) / 1_000;
    progress(
      `${SERVERS * each} tools listed after ${listedMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU, stall ${stallMs.toFixed(0)} ms, ${toolKb.toFixed(1)} KB a tool`,
    );
    return {
      figures: [
        atMost('growth.cold_s', cpuMs / 1_000, { goal: 5, unit: 's of CPU' }),
        atMost('growth.stall_ms', stallMs, { goal: 50, unit: 'ms' }),
        atMost('growth.tool_kb', toolKb, { goal: 12, unit: 'KB' }),
      ],
      rows: [{ table: 'cold', tools: SERVERS * each, listedMs, cpuMs, stallMs, before, after }],
    };
  } finally {
    await gateway.stop();
  }
}

async function listAll(target: Parameters<typeof startWatch>[0], tools: number): Promise<void> {
  const client = await new RelayClient(target, 'modern').open();
  const until = performance.now() + PATIENCE_MS;
  for (let listed = 0; listed < tools; ) {
    listed = (await client.list()).length;
    if (performance.now() > until) throw new Error(`${listed} of ${tools} tools are listed after ${PATIENCE_MS} ms`);
    if (listed < tools) await passed(1_000);
  }
}
