import { expect, test } from 'vitest';
import { Budget, KeptDecisions } from './kept-decisions.ts';

test('who began first is forgotten first, and a flood forgets itself', () => {
  const budget = new Budget(1_100);
  const [one, other] = [new KeptDecisions(budget), new KeptDecisions(budget)];
  one.keep('call', 'a', 1);
  other.keep('call', 'a', 2);
  expect([one.get('call', 'a'), other.get('call', 'a'), one.get('see', 'a')]).toEqual([1, 2, undefined]);
  for (let i = 0; i < 9; i++) other.keep('call', `b${i}`, i);
  expect([one.get('call', 'a'), other.get('call', 'b8')]).toEqual([undefined, 8]);
  for (let i = 0; i < 9; i++) other.keep('call', `c${i}`, i);
  expect(other.get('call', 'a')).toBeUndefined();
});

test('what is too long is not kept', () => {
  const kept = new KeptDecisions(new Budget());
  kept.keep('see', 'x'.repeat(2_000), true);
  expect(kept.get('see', 'x'.repeat(2_000))).toBeUndefined();
});
