import { expect, it } from 'vitest';
import { LineRing } from './line-ring.ts';

it('keeps the last lines, cut, and not more than the total', () => {
  const ring = new LineRing({ lines: 3, lineLength: 5, total: 12 });
  for (const line of ['a', 'b', 'c', 'd']) ring.push(line);
  expect(ring.last()).toEqual(['b', 'c', 'd']);
  expect(ring.last(2)).toEqual(['c', 'd']);
  expect(ring.last(0)).toEqual([]);
  ring.push('1234567');
  ring.push('12345');
  expect(ring.last()).toEqual(['d', '1234…', '12345']);
  ring.push('xyzzy');
  expect(ring.last()).toEqual(['12345', 'xyzzy']);
});
