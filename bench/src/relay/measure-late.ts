import { atLeast, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import type { Era } from '../load/messages.ts';
import { freePort } from '../process/child.ts';
import { RelayClient } from './relay-client.ts';
import { sleep, startRelay, startUpstream } from './relay-gateway.ts';

const LATE_MS = 5_000;
/** From the start of the late server until every client must have its tools. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 1_000;
const TOOLS = 3;

/** Each era at the shared endpoint and at the late server's own. */
const CLIENTS: readonly { readonly era: Era; readonly own: boolean }[] = (['legacy', 'modern'] as const).flatMap(
  (era) => [false, false, true, true].map((own) => ({ era, own })),
);

/** A server that begins to listen 5 s after Sallyport: which clients, opened before, have its tools in the end. */
export async function measureLate({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const port = await freePort();
  const upstream = await startUpstream();
  const late = { url: `http://127.0.0.1:${port}/late/${TOOLS}/mcp` };
  const gateway = await startRelay(folder, { steady: upstream.entry('steady', 5), late });
  const stop = new AbortController();
  const startedAt = performance.now();
  const have = CLIENTS.map(({ era, own }) => ({ era, own, afterMs: Number.NaN }));
  const clients = have.map(async (client) => {
    const path = client.own ? '/servers/late/mcp' : undefined;
    const opened = await openPatiently(() => new RelayClient(gateway.target, client.era, path).open(), stop.signal);
    if (opened === undefined) return;
    const look = async (): Promise<void> => {
      const names = await opened.list().catch(() => []);
      if (names.filter((name) => client.own || name.startsWith('late_')).length === TOOLS)
        client.afterMs = Math.min(client.afterMs || Number.POSITIVE_INFINITY, performance.now() - startedAt);
    };
    await opened.follow(stop.signal, () => void look());
    await look();
  });
  await sleep(LATE_MS);
  const server = await startUpstream(port);
  try {
    const end = performance.now() + PATIENCE_MS;
    while (performance.now() < end && have.some(({ afterMs }) => Number.isNaN(afterMs))) await sleep(50);
    stop.abort();
    await Promise.all(clients);
  } finally {
    stop.abort();
    await gateway.stop();
    await server.stop();
    await upstream.stop();
  }
  const served = have.filter(({ afterMs }) => !Number.isNaN(afterMs));
  progress(`${served.length} of ${have.length} clients have the tools of the late server`);
  return {
    figures: [atLeast('relay.late_tools', served.length / have.length, { goal: 1, unit: 'share' })],
    rows: have,
  };
}

/** As clients do that are told to come back. */
async function openPatiently(open: () => Promise<RelayClient>, signal: AbortSignal): Promise<RelayClient | undefined> {
  while (!signal.aborted) {
    try {
      return await open();
    } catch {
      await sleep(RETRY_MS);
    }
  }
  return undefined;
}
