import { expect, test } from 'vitest';
import { FEATURES } from './features.ts';
import { WEIGHTS } from './weights.ts';

test('each reason has its weight, and no weight is of a reason that is gone', () => {
  expect([...WEIGHTS.keys()].sort()).toEqual(FEATURES.map(({ id }) => id).sort());
});
