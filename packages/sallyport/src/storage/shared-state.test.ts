import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { atTheEnd } from '../../test/at-the-end.ts';
import { newTestFolder } from '../../test/running-sallyport.ts';
import type { RunRow, SharedState, SharedValue } from '../core/shared-state.ts';
import { openDatabase } from './database.ts';
import { createSharedState } from './shared-state.ts';

let now = 0;
let file: string;
/** As two processes have it: a handle each. */
let stores: readonly [SharedState, SharedState];

beforeEach(async () => {
  now = 1_000;
  file = join(newTestFolder(), 'sallyport.db');
  const open = async () => {
    const database = await openDatabase(file);
    atTheEnd(() => database.destroy());
    return createSharedState({ database: async () => database, file, clock: { now: () => now } });
  };
  stores = [await open(), await open()];
});

const row = (seq: number, size = 10): RunRow => ({ seq, sealed: `row ${seq}`, body: 'b'.repeat(size), size });
const limits = { expiresAt: 2_000, mostRuns: 3 };

describe('rows of runs', () => {
  it('have one order for everybody: nobody overwrites a row or leaves a gap', async () => {
    const [{ runs }, { runs: other }] = stores;
    expect(await runs.append('run', row(1), limits)).toBe('done');
    expect(await other.append('run', row(1), limits)).toBe('behind');
    expect(await other.append('run', row(3), limits)).toBe('behind');
    expect(await other.append('run', row(2), limits)).toBe('done');
    expect(await runs.read('run', 0, 10)).toEqual([row(1), row(2)]);
    expect(await runs.read('run', 1, 10)).toEqual([row(2)]);
    expect(await runs.read('run', 0, 1)).toEqual([row(1)]);
    expect(await runs.head('run')).toEqual({ seq: 2, expiresAt: 2_000 });
  });

  it('of many that write the same row at once one does', async () => {
    const done = await Promise.all([...Array(20)].map((_, i) => stores[i % 2]?.runs.append('run', row(1), limits)));
    expect(done.filter((one) => one === 'done')).toHaveLength(1);
    expect(done.filter((one) => one === 'behind')).toHaveLength(19);
  });

  it('there are so many runs; those that are over make room, with their rows', async () => {
    const [{ runs }] = stores;
    for (const run of ['a', 'b', 'c']) await runs.append(run, row(1), limits);
    expect(await runs.append('d', row(1), limits)).toBe('full');
    expect(await runs.append('a', row(2), limits)).toBe('done');
    await runs.touch('b', 5_000);
    now = 2_000;
    expect(await runs.head('a')).toBeUndefined();
    expect(await runs.append('a', row(1), { ...limits, expiresAt: 3_000 })).toBe('done');
    expect(await runs.read('a', 0, 10)).toEqual([row(1)]);
    expect(await runs.read('c', 0, 10)).toEqual([]);
    expect(await runs.head('b')).toEqual({ seq: 1, expiresAt: 5_000 });
  });

  it('bodies make room, those of the run first that ends first', async () => {
    const [{ runs }] = stores;
    for (const [at, run] of ['a', 'b', 'c'].entries())
      await runs.append(run, row(1, 100), { ...limits, expiresAt: 2_000 + at });
    await runs.trim(200);
    expect(await runs.read('a', 0, 10)).toEqual([{ ...row(1), body: undefined, size: 0 }]);
    expect(await runs.read('b', 0, 10)).toEqual([row(1, 100)]);
  });
});

it('what is over goes, whether anybody writes or not', async () => {
  const [{ runs, values }, other] = stores;
  for (let i = 0; i < 150; i++) await runs.append(`run ${i}`, row(1), { expiresAt: 2_000, mostRuns: 1_000 });
  await runs.append('later', row(1), { expiresAt: 3_000, mostRuns: 1_000 });
  const value = { id: 'a', origin: 'o', sealed: 's', size: 1, expiresAt: 2_000 };
  await values.put({ kind: 'secret', owner: 'ann' }, [value], { rows: 10, size: 10 });
  now = 2_000;
  await other.expire();
  now = 1_000;
  expect(await runs.head('run 149')).toBeUndefined();
  expect(await runs.read('run 0', 0, 1)).toEqual([]);
  expect(await runs.read('later', 0, 1)).toEqual([row(1)]);
  expect(await values.get({ kind: 'secret', owner: 'ann' }, ['a'])).toEqual([]);
});

describe('values', () => {
  const shelf = { kind: 'plan', owner: 'ann' } as const;
  const value = (id: string, extra: Partial<SharedValue> = {}): SharedValue => ({
    ...{ id, origin: 'o', sealed: 's', size: 10, expiresAt: 2_000 },
    ...extra,
  });
  const all = { rows: 2, size: 25 };

  it('are admitted in place of the one that was read, and where there is room', async () => {
    const [{ values }, { values: other }] = stores;
    expect(await values.admit(shelf, value('a'), { before: undefined, all })).toBe('done');
    expect(await other.admit(shelf, value('a', { origin: 'p' }), { before: undefined, all })).toBe('behind');
    expect(await other.admit(shelf, value('a', { origin: 'p' }), { before: 'o', all })).toBe('done');
    expect(await values.admit(shelf, value('b', { size: 20 }), { before: undefined, all })).toBe('full');
    expect(await values.admit({ ...shelf, owner: 'bob' }, value('a'), { before: undefined, all })).toBe('done');
    expect(await values.admit(shelf, value('c', { size: 0 }), { before: undefined, all })).toBe('full');
    expect((await values.list('plan', 10)).map(({ owner }) => owner)).toEqual(['ann', 'bob']);
    now = 2_000;
    expect(await values.list('plan', 10)).toEqual([]);
    expect(await values.admit(shelf, value('c', { expiresAt: 3_000 }), { before: undefined, all })).toBe('done');
  });

  it('are found by kind, owner and id, many at once', async () => {
    const [{ values }, { values: other }] = stores;
    const many = [...Array(250)].map((_, i) => value(`v${i}`));
    await values.put(shelf, many, { rows: 240, size: 10_000 });
    const found = await other.get(
      shelf,
      many.map(({ id }) => id),
    );
    expect(found).toHaveLength(240);
    expect(found.map(({ id }) => id)).not.toContain('v9');
    expect(await other.get({ ...shelf, kind: 'text' }, ['v10'])).toEqual([]);
    await values.trim('plan', { rows: 3, size: 1_000 });
    expect(await values.get(shelf, ['v246', 'v247', 'v248', 'v249'])).toHaveLength(3);
    await values.trim('plan', { rows: 3, size: 15 });
    expect(await values.get(shelf, ['v248', 'v249'])).toEqual([value('v249')]);
  });
});
