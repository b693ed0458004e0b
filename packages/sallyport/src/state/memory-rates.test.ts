import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryRates } from './memory-rates.ts';

function bench(maxBuckets?: number) {
  const clock = { now: 1_000 };
  const rates = createMemoryRates({ now: () => clock.now, maxBuckets });
  const take = (key: string, intervalMs = 1_000, burst = 3, rule = 'r') => {
    const taken = rates.take([{ rule, key, intervalMs, burst }]);
    if (taken instanceof Promise) throw new Error('memory answers at once');
    return taken;
  };
  return { clock, rates, take };
}

const allowed = (taken: { readonly refusedBy: number | undefined }) => taken.refusedBy === undefined;

describe('one bucket', () => {
  test('gives its burst at once and then one per interval', () => {
    const { clock, take } = bench();
    expect([1, 2, 3, 4].map(() => allowed(take('a')))).toEqual([true, true, true, false]);
    clock.now += 999;
    expect(take('a')).toEqual({ standings: [{ left: 0, resetMs: 1 }], refusedBy: 0 });
    clock.now += 1;
    expect(take('a')).toEqual({ standings: [{ left: 0, resetMs: 1_000 }], refusedBy: undefined });
    clock.now += 1_000_000;
    expect(take('a')).toEqual({ standings: [{ left: 2, resetMs: 1_000 }], refusedBy: undefined });
  });

  test('thirds of a second are not lost to rounding', () => {
    const { take } = bench();
    expect([1, 2, 3, 4].map(() => allowed(take('a', 1_000 / 3)))).toEqual([true, true, true, false]);
  });

  test('whoever keeps knocking is not kept out by it', () => {
    const { clock, take } = bench();
    for (let i = 0; i < 1_000; i++) take('a');
    clock.now += 1_000;
    expect(allowed(take('a'))).toBe(true);
  });
});

const step = fc.record({
  key: fc.integer({ min: 0, max: 12 }),
  wait: fc.integer({ min: -5_000, max: 3_000 }),
});

describe('whatever is tried', () => {
  test.each([100, 4, 1])('no key gets more than burst + t / interval with room for %i', (room) => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 400 }),
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 6 }),
        (steps, interval, burst) => {
          const { clock, take } = bench(room);
          let furthest = 0;
          const given = new Map<number, number[]>();
          for (const { key, wait } of steps) {
            clock.now += wait;
            furthest = Math.max(furthest, clock.now);
            if (allowed(take(`k${key}`, interval, burst))) given.set(key, [...(given.get(key) ?? []), furthest]);
          }
          // Between any two admitted calls of one key, the time that truly passed paid for those after the burst.
          for (const times of given.values())
            for (let from = 0; from < times.length; from++)
              for (let to = from; to < times.length; to++)
                expect(to - from + 1).toBeLessThanOrEqual(
                  burst + ((times[to] ?? 0) - (times[from] ?? 0)) / interval + 1e-6,
                );
        },
      ),
    );
  });

  test('one that stays within its rate is never refused', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 5_000 }), { maxLength: 100 }), (waits) => {
        const { clock, take } = bench();
        for (const wait of waits) {
          clock.now += wait;
          expect(allowed(take('a', 100, 1))).toBe(true);
        }
      }),
    );
  });
});

describe('attacks', () => {
  test.each([
    ['new names', (i: number) => `name-${i}`],
    ['long names', (i: number) => `${'x'.repeat(1_000)}${i}`],
    ['names of an object', (i: number) => ['__proto__', 'constructor', 'hasOwnProperty'][i % 3] ?? ''],
  ])('%s: what gets through is bounded by the table, and the one bucket all others share', (_, name) => {
    const { take } = bench(100);
    let through = 0;
    for (let i = 0; i < 10_000; i++) if (allowed(take(name(i)))) through++;
    expect(through).toBeLessThanOrEqual(100 + 3);
  });

  test('a flood of names takes nothing from one who has a bucket, and gives nobody a second one', () => {
    const { clock, take } = bench(2);
    take('honest');
    for (let i = 0; i < 50; i++) take(`flood-${i}`);
    expect(allowed(take('honest'))).toBe(true);
    expect(allowed(take('flood-7'))).toBe(false);
    // There is room again; whoever used up the shared bucket does not start afresh.
    clock.now += 2_000;
    expect(allowed(take('flood-8'))).toBe(true);
    expect(allowed(take('flood-8'))).toBe(true);
    expect(allowed(take('flood-8'))).toBe(false);
  });

  test('a clock set back gives nothing away and does not stand still for ever', () => {
    const { clock, take } = bench();
    for (let i = 0; i < 3; i++) take('a');
    clock.now -= 1_000_000;
    expect(allowed(take('a'))).toBe(false);
    clock.now += 1_001_000;
    expect(allowed(take('a'))).toBe(true);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('a clock that says %d refuses', (broken) => {
    const { clock, take } = bench();
    clock.now = broken;
    expect(allowed(take('a'))).toBe(false);
  });
});

test('all or nothing: a refused call uses up nothing', () => {
  const { rates, take } = bench();
  for (let i = 0; i < 3; i++) take('a', 1_000, 3, 'narrow');
  const both = [
    { rule: 'wide', key: 'a', intervalMs: 1_000, burst: 10 },
    { rule: 'narrow', key: 'a', intervalMs: 1_000, burst: 3 },
  ];
  for (let i = 0; i < 5; i++) expect(rates.take(both)).toMatchObject({ refusedBy: 1 });
  expect(take('a', 1_000, 10, 'wide').standings).toEqual([{ left: 9, resetMs: 1_000 }]);
});
