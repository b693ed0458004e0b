import { expect, test } from 'vitest';
import type { Tool } from '../core/call.ts';
import { checkSchemas } from './check-schemas.ts';
import { readKeptItems } from './fetch-list.ts';
import type { Item } from './items.ts';

const texts = Array.from({ length: 20 }, (_, i) => `{"name":"t${i}","inputSchema":{"type":"object"}}`);
const items: readonly Item[] = readKeptItems('tools', texts);

test('every tool is checked, a few at once', async () => {
  const checked: string[] = [];
  let [now, most] = [0, 0];
  const check = async ({ name }: Tool) => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now -= 1;
    checked.push(name);
  };
  await checkSchemas({ check, unusable: () => [] }, { upstream: 's', items }, new AbortController().signal);
  expect(checked).toEqual(items.map(({ id }) => id));
  expect(most).toBe(8);
});

test('a shelf that is closed checks nothing more', async () => {
  const stop = new AbortController();
  let checks = 0;
  const check = async () => {
    checks += 1;
    stop.abort();
  };
  await checkSchemas({ check, unusable: () => [] }, { upstream: 's', items }, stop.signal);
  expect(checks).toBe(8);
});
