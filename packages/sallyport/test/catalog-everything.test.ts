import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { createCatalog } from '../src/catalog/catalog.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { createEraMemory } from '../src/upstream/era-store.ts';
import { createUpstreams } from '../src/upstream/upstreams.ts';
import { clientOf, serverSettings, snapshotOf } from './fake-upstreams.ts';
import { waitFor } from './wait-for.ts';

const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const snapshot = snapshotOf([
  serverSettings('everything', {
    transport: { type: 'stdio', command: process.execPath, args: [script, 'stdio'], env: {}, cwd: undefined },
    startTimeoutMs: 20_000,
    timeoutMs: 20_000,
  }),
]);
const all = { kind: 'all' } as const;
const plain = clientOf();
const able = clientOf({ roots: {}, sampling: {}, elicitation: {} });

/** A catalogue over real connections, with a store in memory. */
function start(text?: string) {
  const upstreams = createUpstreams({
    servers: () => snapshot.servers,
    eras: createEraMemory(),
    log: silentLog,
    clock: systemClock,
    identity: { name: 'sallyport', version: '0' },
  });
  const kept = { text };
  const store = {
    load: async () => kept.text,
    save: async (written: string) => {
      kept.text = written;
    },
  };
  const catalog = createCatalog({ upstreams, store, clock: systemClock, log: silentLog });
  const stop = async () => {
    await catalog.close();
    await upstreams.close();
  };
  return { upstreams, catalog, kept, stop };
}

it('gives clients of a real server the lists their own capabilities bring, and keeps them over a restart', async () => {
  const first = start();
  const names: string[] = [];
  const pids: number[] = [];
  try {
    const view = await first.catalog.view(snapshot, all, plain);
    expect(view.unavailable).toEqual([]);
    const count = () => JSON.parse(view.list('tools', undefined).items).length;
    expect(view.tool('everything_echo')).toMatchObject({ upstream: 'everything', name: 'echo' });
    expect(JSON.parse(view.list('prompts', undefined).items).length).toBeGreaterThan(0);
    const [resource] = JSON.parse(view.list('resources', undefined).items) as { uri: string }[];
    expect(resource?.uri).toMatch(/^everything\+/);
    expect(view.resource(resource?.uri ?? '')[0]?.upstream).toBe('everything');
    // The server adds tools after it has looked at the client's capabilities, and says so.
    const plainCount = count();
    await waitFor(async () => {
      const wide = await first.catalog.view(snapshot, all, able);
      expect(JSON.parse(wide.list('tools', undefined).items).length).toBeGreaterThan(plainCount);
    });
    expect(count()).toBe(plainCount);
    expect(first.catalog.reports()).toEqual([]);
    pids.push(...(first.upstreams.status('everything')?.pids ?? []));
    names.push(view.list('tools', undefined).items);
  } finally {
    await first.stop();
  }
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));

  const second = start(first.kept.text);
  try {
    const view = await second.catalog.view(snapshot, all, plain);
    expect(second.upstreams.status('everything')?.connections).toBe(0);
    expect(view.list('tools', undefined).items).toBe(names[0]);
    await waitFor(() => expect(view.list('tools', undefined).ttlMs).toBeGreaterThan(0));
  } finally {
    await second.stop();
  }
});
