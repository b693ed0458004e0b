import { describe, expect, test } from 'vitest';
import { silentLog } from '../core/log.ts';
import { openDatabase } from './database.ts';
import { createLateQuotas, openQuotas, type Quotas, readQuotaUse } from './quotas.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const HOUR = 3_600_000;

async function bench(maxSubjects?: number) {
  const database = await openDatabase(':memory:');
  const clock = { at: NOON, now: () => clock.at };
  const open = () => openQuotas({ database, clock, log: silentLog, maxSubjects });
  return { database, clock, open };
}

function take(quotas: Pick<Quotas, 'take'>, key: string, limit = 2, window: 'day' | 'month' = 'day') {
  const taken = quotas.take([{ rule: 'r', key, limit, window }]);
  if (taken instanceof Promise) throw new Error('an open table answers at once');
  return taken;
}

describe('quotas', () => {
  test('count to the limit and start again at midnight UTC', async () => {
    const { clock, open } = await bench();
    const quotas = await open();
    expect(take(quotas, 'a')).toEqual({ standings: [{ left: 1, resetMs: 12 * HOUR }], refusedBy: undefined });
    take(quotas, 'a');
    clock.at += 12 * HOUR - 1;
    expect(take(quotas, 'a')).toEqual({ standings: [{ left: 0, resetMs: 1 }], refusedBy: 0 });
    expect(take(quotas, 'b').refusedBy).toBeUndefined();
    clock.at += 1;
    expect(take(quotas, 'a').refusedBy).toBeUndefined();
  });

  test('a month ends with the month', async () => {
    const { open } = await bench();
    expect(take(await open(), 'a', 2, 'month').standings[0]?.resetMs).toBe(8 * 24 * HOUR + 12 * HOUR);
  });

  test('outlive a restart, until their window has ended', async () => {
    const { clock, open, database } = await bench();
    const first = await open();
    take(first, 'a');
    take(first, 'a');
    take(first, 'a', 5, 'month');
    await first.close();
    const second = await open();
    expect(take(second, 'a').refusedBy).toBe(0);
    await second.close();
    clock.at += 24 * HOUR;
    const third = await open();
    expect(take(third, 'a').refusedBy).toBeUndefined();
    expect(take(third, 'a', 5, 'month').standings[0]?.left).toBe(3);
    await third.saved();
    await third.close();
    expect(await database.selectFrom('quotas').select('period').orderBy('period').execute()).toEqual([
      { period: '2026-11' },
      { period: '2026-11-23' },
    ]);
  });

  test('subjects of several parts outlive it each for itself', async () => {
    const { open, database, clock } = await bench();
    const first = await open();
    for (const key of ['ann\0git\0read', 'ann\0git\0read', 'ann\0git\0write', 'ann%00git%25']) take(first, key);
    await first.close();
    const used = (await readQuotaUse(database, clock.now())).map((row) => [row.subject, row.used]);
    expect(new Map(used as [string, number][])).toEqual(
      new Map([
        ['ann\0git\0read', 2],
        ['ann\0git\0write', 1],
        ['ann%00git%25', 1],
      ]),
    );
    const second = await open();
    expect(take(second, 'ann\0git\0read').refusedBy).toBe(0);
    expect(take(second, 'ann\0git\0write').standings[0]?.left).toBe(0);
    expect(take(second, 'ann%00git%25').standings[0]?.left).toBe(0);
    await second.close();
  });

  test('a clock set back to yesterday does not count afresh', async () => {
    const { clock, open } = await bench();
    const quotas = await open();
    take(quotas, 'a');
    take(quotas, 'a');
    clock.at -= 24 * HOUR;
    expect(take(quotas, 'a').refusedBy).toBe(0);
  });

  test('who finds no room shares one count', async () => {
    const { open } = await bench(2);
    const quotas = await open();
    const through = Array.from({ length: 50 }, (_, i) => take(quotas, `k${i}`)).filter(
      ({ refusedBy }) => refusedBy === undefined,
    );
    expect(through).toHaveLength(4);
  });

  test('go on counting while nothing can be saved', async () => {
    const { database, open } = await bench();
    const quotas = await open();
    await database.destroy();
    expect([1, 2, 3].map(() => take(quotas, 'a').refusedBy)).toEqual([undefined, undefined, 0]);
    await quotas.close();
  });
});

test('opened by the first call; a failure denies that call and is tried again', async () => {
  const { open } = await bench();
  let tries = 0;
  const late = createLateQuotas(() => (tries++ === 0 ? Promise.reject(new Error('locked')) : open()));
  const ask = [{ rule: 'r', key: 'a', limit: 2, window: 'day' as const }];
  await expect(late.take(ask)).rejects.toThrow('locked');
  expect(await late.take(ask)).toMatchObject({ refusedBy: undefined });
  expect(late.take(ask)).toMatchObject({ standings: [{ left: 0 }] });
  await late.close();
});
