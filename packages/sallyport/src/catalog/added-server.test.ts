import { afterEach, expect, test } from 'vitest';
import { ALL, closeCatalogs, setUp, tool, withTools } from '../../test/catalog-set-up.ts';
import { clientOf, type FakeServer, serverSettings, snapshotOf } from '../../test/fake-upstreams.ts';
import { silentLog } from '../core/log.ts';
import { createCatalog } from './catalog.ts';
import type { Inspection } from './pins/inspection.ts';
import { PinBook } from './pins/pin-book.ts';

afterEach(closeCatalogs);

const TOOLS = 200;

test('the definitions of a server that is added are read in short stretches, and listed when all are read', async () => {
  const many = Array.from({ length: TOOLS }, (_, i) => tool(`t${i}`));
  const large: FakeServer = { capabilities: { tools: {} }, answer: () => `{"tools":[${many.join(',')}]}` };
  let read = 0;
  const inspection: Inspection = {
    version: '1',
    inspect() {
      read += 1;
      const until = performance.now() + 1;
      while (performance.now() < until);
      return { findings: [], risky: false, score: 0 };
    },
  };
  const { upstreams } = setUp({ good: withTools('x'), large });
  const book = new PinBook({ rules: () => ({ mode: 'laptop' }), keep: () => {}, log: silentLog, inspection });
  const store = { load: async () => undefined, save: async () => {} };
  const catalog = createCatalog({ upstreams, store, clock: { now: () => Date.now() }, log: silentLog }, book);
  const snapshot = snapshotOf([serverSettings('good'), serverSettings('large')]);
  const call = { method: 'tools/call', params: { name: 'good_x' } };
  await catalog.view(snapshot, { kind: 'server', name: 'good' }, clientOf());
  // Whoever has a turn while definitions are read sees none of the unread ones.
  const seen: number[] = [];
  let isOver = false;
  const look = async (): Promise<void> => {
    if (isOver) return;
    const view = await catalog.view(snapshot, ALL, clientOf(), call);
    if (read < TOOLS) expect(view.tool('large_t0')).toBeUndefined();
    seen.push(read);
    setImmediate(look);
  };
  setImmediate(look);
  const whole = await catalog.view(snapshot, ALL, clientOf());
  isOver = true;
  expect(whole.tool(`large_t${TOOLS - 1}`)).toBeDefined();
  expect(new Set(seen).size).toBeGreaterThan(TOOLS / 4);
  await catalog.close();
});

test('the instructions of servers that answer all at once are read in short stretches, each once', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `s${i}`);
  const turnsOf: number[] = [];
  let turn = 0;
  const inspection: Inspection = {
    version: '1',
    inspect({ kind }) {
      if (kind === 'instructions') turnsOf.push(turn);
      const until = performance.now() + 2;
      while (performance.now() < until);
      return { findings: [], risky: false, score: 0 };
    },
  };
  const servers = names.map((name) => [name, { capabilities: {}, instructions: `Says ${name}.` }] as const);
  const { upstreams } = setUp(Object.fromEntries(servers));
  const book = new PinBook({ rules: () => ({ mode: 'laptop' }), keep: () => {}, log: silentLog, inspection });
  const store = { load: async () => undefined, save: async () => {} };
  const catalog = createCatalog({ upstreams, store, clock: { now: () => Date.now() }, log: silentLog }, book);
  let isOver = false;
  const look = (): void => {
    turn += 1;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const view = await catalog.view(snapshotOf(names.map((name) => serverSettings(name))), ALL, clientOf());
  isOver = true;
  for (const name of names) expect(view.instructions).toContain(`Says ${name}.`);
  expect(turnsOf).toHaveLength(names.length);
  expect(new Set(turnsOf).size).toBeGreaterThan(names.length / 2);
  await catalog.close();
});
