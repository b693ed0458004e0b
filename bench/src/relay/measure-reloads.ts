import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import { RelayClient } from './relay-client.ts';
import { type RelayGateway, sleep, startCallers, startRelay, startUpstream } from './relay-gateway.ts';

const RELOADS = 200;
const APPLIED_MS = 20_000;

/** 200 new configurations under load: each adds a server, takes one away and changes settings of another. */
export async function measureReloads({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const upstream = await startUpstream();
  const config = (version: number) => ({
    steady: upstream.entry('steady', 5),
    changing: { ...upstream.entry('changing', 5), timeoutMs: 30_000 + version },
    [`v${version}`]: upstream.entry(`v${version}`, 2),
  });
  const gateway = await startRelay(folder, config(0));
  await untilListed(gateway.target, 12);
  const tools = ['steady_echo', 'steady_echo', 'changing_echo', 'changing_echo'];
  const callers = startCallers(gateway.target, tools);
  try {
    for (let version = 1; version <= RELOADS; version++) {
      gateway.reload(config(version));
      await untilApplied(gateway, `v${version}`);
    }
    await callers.stop();
    const { answered, failed } = callers;
    progress(`${failed.length} of ${answered} calls failed over ${RELOADS} reloads`);
    const value = answered > RELOADS ? failed.length : Number.NaN;
    return {
      figures: [atMost('relay.reload_failed', value, { goal: 0, unit: 'calls' })],
      rows: [{ reloads: RELOADS, answered, failed: failed.slice(0, 10) }],
    };
  } finally {
    await callers.stop();
    await gateway.stop();
    await upstream.stop();
  }
}

/** A reload while a server is met for the first time is another matter. */
async function untilListed(target: RelayGateway['target'], tools: number): Promise<void> {
  const client = await new RelayClient(target, 'modern').open();
  const end = performance.now() + APPLIED_MS;
  while ((await client.list()).length < tools && performance.now() < end) await sleep(50);
}

/** The path of a server is there as soon as its configuration is in force. */
async function untilApplied({ target: { port, headers } }: RelayGateway, server: string): Promise<void> {
  const end = performance.now() + APPLIED_MS;
  while (performance.now() < end) {
    const url = `http://127.0.0.1:${port}/servers/${server}/mcp`;
    const { status } = await fetch(url, { method: 'OPTIONS', headers: { ...headers } });
    if (status === 405) return;
    await sleep(5);
  }
  throw new Error(`the configuration with ${server} is not in force after ${APPLIED_MS} ms`);
}
