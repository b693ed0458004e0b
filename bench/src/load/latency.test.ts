import { expect, test } from 'vitest';
import { median, percentiles } from './latency.ts';

test('percentiles are nearest rank', () => {
  const times = Float64Array.from({ length: 200 }, (_, i) => 200 - i);
  expect(percentiles(times)).toEqual({ p50: 100, p95: 190, p99: 198 });
  expect(percentiles(new Float64Array(0))).toEqual({ p50: 0, p95: 0, p99: 0 });
});

test('median of odd, even and no values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});
