import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tellInOrder } from './tell-in-order.ts';

test('what ends in any order is told in order, and as soon as that allows', () => {
  const told: string[] = [];
  const tell = tellInOrder<string>((one) => told.push(one));
  tell(1, 'b');
  tell(3, 'd');
  expect(told).toEqual([]);
  tell(0, 'a');
  expect(told).toEqual(['a', 'b']);
  tell(2, 'c');
  expect(told).toEqual(['a', 'b', 'c', 'd']);
});

test('nothing is left out, whatever the order', () => {
  const shuffled = fc.nat({ max: 12 }).chain((count) => {
    const all = Array.from({ length: count }, (_, i) => i);
    return fc.shuffledSubarray(all, { minLength: count, maxLength: count });
  });
  fc.assert(
    fc.property(shuffled, (order) => {
      const told: number[] = [];
      const tell = tellInOrder<number>((one) => told.push(one));
      for (const one of order) tell(one, one);
      expect(told).toEqual([...order].sort((a, b) => a - b));
    }),
  );
});
