import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { QuotaCounts } from '../guard/limit-ports.ts';
import { type Database, openDatabase } from './database.ts';
import { createQuotas, readQuotaUse } from './quotas.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const HOUR = 3_600_000;

async function bench(maxSubjects?: number) {
  const database = await openDatabase(':memory:');
  const clock = { at: NOON, now: () => clock.at };
  const open = () => createQuotas({ database: async () => database, clock, maxSubjects });
  return { database, clock, open };
}

async function take(quotas: QuotaCounts, key: string, limit = 2, window: 'day' | 'month' = 'day') {
  return quotas.take([{ rule: 'r', key, limit, window }]);
}

describe('quotas', () => {
  test('count to the limit and start again at midnight UTC', async () => {
    const { clock, open } = await bench();
    const quotas = open();
    expect(await take(quotas, 'a')).toEqual({ standings: [{ left: 1, resetMs: 12 * HOUR }], refusedBy: undefined });
    await take(quotas, 'a');
    clock.at += 12 * HOUR - 1;
    expect(await take(quotas, 'a')).toEqual({ standings: [{ left: 0, resetMs: 1 }], refusedBy: 0 });
    expect((await take(quotas, 'b')).refusedBy).toBeUndefined();
    clock.at += 1;
    expect((await take(quotas, 'a')).refusedBy).toBeUndefined();
  });

  test('a month ends with the month', async () => {
    const { open } = await bench();
    expect((await take(open(), 'a', 2, 'month')).standings[0]?.resetMs).toBe(8 * 24 * HOUR + 12 * HOUR);
  });

  test('outlive a restart, until their window has ended', async () => {
    const { clock, open, database } = await bench();
    const first = open();
    await take(first, 'a');
    await take(first, 'a');
    await take(first, 'a', 5, 'month');
    const second = open();
    expect((await take(second, 'a')).refusedBy).toBe(0);
    clock.at += 24 * HOUR;
    const third = open();
    expect((await take(third, 'a')).refusedBy).toBeUndefined();
    expect((await take(third, 'a', 5, 'month')).standings[0]?.left).toBe(3);
    expect(await database.selectFrom('quotas').select('period').orderBy('period').execute()).toEqual([
      { period: '2026-11' },
      { period: '2026-11-23' },
    ]);
  });

  test('subjects of several parts outlive it each for itself', async () => {
    const { open, database, clock } = await bench();
    const first = open();
    for (const key of ['ann\0git\0read', 'ann\0git\0read', 'ann\0git\0write', 'ann%00git%25']) await take(first, key);
    const used = (await readQuotaUse(database, clock.now())).map((row) => [row.subject, row.used]);
    expect(new Map(used as [string, number][])).toEqual(
      new Map([
        ['ann\0git\0read', 2],
        ['ann\0git\0write', 1],
        ['ann%00git%25', 1],
      ]),
    );
    const second = open();
    expect((await take(second, 'ann\0git\0read')).refusedBy).toBe(0);
    expect((await take(second, 'ann\0git\0write')).standings[0]?.left).toBe(0);
    expect((await take(second, 'ann%00git%25')).standings[0]?.left).toBe(0);
  });

  test('a clock set back to yesterday does not count afresh', async () => {
    const { clock, open } = await bench();
    const quotas = open();
    await take(quotas, 'a');
    await take(quotas, 'a');
    clock.at -= 24 * HOUR;
    expect((await take(quotas, 'a')).refusedBy).toBe(0);
  });

  test('who finds no room shares one count', async () => {
    const { open } = await bench(2);
    const quotas = open();
    const taken = await Promise.all(Array.from({ length: 50 }, (_, i) => take(quotas, `k${i}`)));
    // Two with one call each, and the row of all others with two.
    expect(taken.filter(({ refusedBy }) => refusedBy === undefined)).toHaveLength(4);
  });

  test('a call that one quota stops uses up nothing of the others', async () => {
    const { open } = await bench();
    const quotas = open();
    const both = [
      { rule: 'wide', key: 'a', limit: 9, window: 'day' as const },
      { rule: 'narrow', key: 'a', limit: 1, window: 'month' as const },
    ];
    expect(await quotas.take(both)).toMatchObject({ refusedBy: undefined, standings: [{ left: 8 }, { left: 0 }] });
    expect(await quotas.take(both)).toMatchObject({ refusedBy: 1, standings: [{ left: 8 }, { left: 0 }] });
    expect((await quotas.take(both.slice(0, 1))).standings).toMatchObject([{ left: 7 }]);
  });

  test('are those of all processes on the file together, also of calls at once', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sallyport-quotas-'));
    const databases = [];
    for (let i = 0; i < 3; i++) databases.push(await openDatabase(join(dir, 'sallyport.db')));
    const clock = { now: () => NOON };
    const counts = databases.map((database) => createQuotas({ database: async () => database, clock }));
    const taken = await Promise.all(counts.flatMap((one) => Array.from({ length: 40 }, () => take(one, 'a', 50))));
    const through = taken.filter(({ refusedBy }) => refusedBy === undefined);
    expect(through.map(({ standings }) => standings[0]?.left).sort((a = 0, b = 0) => a - b)).toEqual([
      ...Array(50).keys(),
    ]);
    for (const database of databases) await database.destroy();
    rmSync(dir, { recursive: true });
  });

  describe('far from the limit', () => {
    const used = async (database: Database) => (await readQuotaUse(database, NOON)).map((row) => row.used);
    const ask = [{ rule: 'r', key: 'a', limit: 6_400, window: 'day' as const }];

    test('wait for no commit, and give back on closing what was not used', async () => {
      const { database, open } = await bench();
      const quotas = open();
      expect(await quotas.take(ask)).toMatchObject({ standings: [{ left: 6_399 }] });
      for (let left = 6_398; left > 6_390; left--)
        expect(quotas.take(ask)).toMatchObject({ standings: [{ left }], refusedBy: undefined });
      expect(await used(database)).toEqual([100]);
      await quotas.close();
      expect(await used(database)).toEqual([9]);
    });

    test('give back what nobody has used for a while', async () => {
      const { database, open } = await bench();
      await open().take(ask);
      await vi.waitFor(async () => expect(await used(database)).toEqual([1]), { timeout: 10_000 });
    });

    test('let exactly as many through as the limit says, in all processes together', async () => {
      const { open } = await bench();
      const [one, two] = [open(), open()];
      const asks = [{ rule: 'r', key: 'a', limit: 500, window: 'month' as const }];
      let through = 0;
      for (let i = 0; i < 600; i++) {
        const taken = await (i % 3 === 0 ? one : two).take(asks);
        if (taken.refusedBy === undefined) through++;
      }
      expect(through).toBe(500);
    });

    test('a limit that was lowered holds at once', async () => {
      const { open } = await bench();
      const quotas = open();
      for (let i = 0; i < 5; i++) await quotas.take(ask);
      expect(await take(quotas, 'a', 5)).toMatchObject({ refusedBy: 0 });
      expect(await take(quotas, 'a', 6)).toMatchObject({ refusedBy: undefined, standings: [{ left: 0 }] });
    });

    test('a database that fails loses nothing of what was written ahead', async () => {
      const { database, clock } = await bench();
      let isDown = false;
      const quotas = createQuotas({
        database: () => (isDown ? Promise.reject(new Error('locked')) : Promise.resolve(database)),
        clock,
      });
      await quotas.take(ask);
      isDown = true;
      await quotas.close();
      for (let i = 0; i < 99; i++) expect(quotas.take(ask)).toMatchObject({ refusedBy: undefined });
      await expect(quotas.take(ask)).rejects.toThrow('locked');
    });
  });

  test('that cannot be counted let nothing through, and are asked again by the next call', async () => {
    const { database, clock } = await bench();
    let tries = 0;
    const open = () => (tries++ === 0 ? Promise.reject(new Error('locked')) : Promise.resolve(database));
    const quotas = createQuotas({ database: open, clock });
    await expect(take(quotas, 'a')).rejects.toThrow('locked');
    expect(await take(quotas, 'a')).toMatchObject({ refusedBy: undefined, standings: [{ left: 1 }] });
  });
});
