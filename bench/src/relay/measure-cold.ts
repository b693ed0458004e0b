import { join } from 'node:path';
import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import { RelayClient } from './relay-client.ts';
import { sleep, startBusyCore, startRelay, startUpstream } from './relay-gateway.ts';

const SHAPES = [
  { servers: 200, each: 5 },
  { servers: 10, each: 1_000 },
] as const;
/** From the start until every tool must be listed. */
const PATIENCE_MS = 60_000;

/** A first start with many tools while another process uses a core: how many tools are not listed in the end. */
export async function measureCold({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const upstream = await startUpstream();
  const busy = startBusyCore();
  const rows: object[] = [];
  let missing = 0;
  try {
    for (const { servers, each } of SHAPES) {
      const names = Array.from({ length: servers }, (_, i) => `s${i}`);
      const startedAt = performance.now();
      const entries = Object.fromEntries(names.map((name) => [name, upstream.entry(name, each)]));
      const gateway = await startRelay(join(folder, `${servers}`), entries);
      try {
        const client = await new RelayClient(gateway.target, 'modern').open();
        let listed = 0;
        while (listed < servers * each && performance.now() - startedAt < PATIENCE_MS) {
          await sleep(1_000);
          listed = (await client.list()).length;
        }
        missing += servers * each - listed;
        rows.push({ servers, tools: servers * each, listed, ms: performance.now() - startedAt });
        progress(
          `${servers} servers: ${listed} of ${servers * each} tools after ${Math.round(performance.now() - startedAt)} ms`,
        );
      } finally {
        await gateway.stop();
      }
    }
  } finally {
    await busy.stop();
    await upstream.stop();
  }
  return { figures: [atMost('relay.cold_missing', missing, { goal: 0, unit: 'tools' })], rows };
}
