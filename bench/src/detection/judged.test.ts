import { describe, expect, test } from 'vitest';
import { atMost, toRate } from './judged.ts';
import { toFigures } from './print-detection.ts';

describe('a rate', () => {
  test.each([
    // Newcombe (1998), table I, method 3.
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i', (hits, rows, low, high) => {
    const rate = toRate(hits, rows);
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });
});

test('what was not measured is null and does not hold', () => {
  const [figure] = toFigures([{ name: 'detection.egress.allowed_stopped', goal: atMost(0), judged: [] }], []);
  expect(figure).toMatchObject({ value: null, holds: false, problem: 'no rows' });
});
