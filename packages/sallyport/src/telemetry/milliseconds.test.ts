import { expect, test } from 'vitest';
import { writeMilliseconds } from './milliseconds.ts';

test('a duration is written as the number it is, to the microsecond', () => {
  for (const [ms, text] of [
    [0, '0'],
    [0.0004, '0'],
    [0.0005, '0.001'],
    [0.01, '0.01'],
    [1.5, '1.5'],
    [12.3456, '12.346'],
    [99.9996, '100'],
    [999_999.9999, '1000000'],
    [1_000_000.25, '1000000.25'],
    [-0.25, '-0.25'],
  ] as const)
    expect(writeMilliseconds(ms), String(ms)).toBe(text);
});

test('it is what JSON writes of the rounded number, for any duration', () => {
  for (let ms = 0.000_1; ms < 5_000_000; ms *= 1.013)
    expect(writeMilliseconds(ms)).toBe(JSON.stringify(Math.round(ms * 1_000) / 1_000));
});
