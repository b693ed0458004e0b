import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const names = ['command', 'args', 'env', 'timeoutMs', 'headers', 'url'];

test.each([
  ['comand', 'command'],
  ['cmomand', 'command'],
  ['ENV', 'env'],
  ['time_out_ms', 'timeoutMs'],
  ['header', 'headers'],
  ['uri', 'url'],
  ['somethingElse', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s -> %s', (written, meant) => {
  expect(nearestName(written, names)).toBe(meant);
});
