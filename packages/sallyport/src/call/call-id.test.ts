import { expect, test } from 'vitest';
import { nextCallId } from './call-id.ts';

test('ids of one process have one beginning and are all different', () => {
  const ids = Array.from({ length: 1_000 }, nextCallId);
  expect(new Set(ids).size).toBe(1_000);
  expect(new Set(ids.map((id) => id.slice(0, 11))).size).toBe(1);
  expect(ids[0]).toMatch(/^[\w-]{11}-[0-9a-z]+$/);
});
