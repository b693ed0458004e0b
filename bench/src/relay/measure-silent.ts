import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import { sleep, startCallers, startRelay, startUpstream } from './relay-gateway.ts';

const WARM_MS = 3_000;
const BEFORE_MS = 5_000;
const AFTER_MS = 10_000;
const CALLERS = 4;

/** Calls of a healthy server while one is added that accepts connections and says nothing. */
export async function measureSilent({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const upstream = await startUpstream();
  const servers = { steady: upstream.entry('steady', 5) };
  const gateway = await startRelay(folder, servers);
  const callers = startCallers(gateway.target, Array(CALLERS).fill('steady_echo'));
  try {
    await sleep(WARM_MS);
    callers.takeSlowest();
    await sleep(BEFORE_MS);
    const before = callers.takeSlowest();
    gateway.reload({ ...servers, silent: upstream.silent });
    await sleep(AFTER_MS);
    await callers.stop();
    const slowest = callers.takeSlowest();
    progress(`slowest call ${before.toFixed(0)} ms before, ${slowest.toFixed(0)} ms while it is added`);
    const value = callers.failed.length === 0 ? slowest : Number.NaN;
    return {
      figures: [atMost('relay.silent_wait_ms', value, { goal: 100, unit: 'ms' })],
      rows: [{ beforeMs: before, slowestMs: slowest, answered: callers.answered, failed: callers.failed.slice(0, 5) }],
    };
  } finally {
    await callers.stop();
    await gateway.stop();
    await upstream.stop();
  }
}
