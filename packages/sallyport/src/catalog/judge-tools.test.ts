import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Log } from '../core/log.ts';
import type { Item } from './items.ts';
import { judgeTools } from './judge-tools.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } as unknown as Log;
const item = { id: 'search', digest: 'd', definition: { name: 'search' } } as unknown as Item;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The worker answers after `ms`; undefined: never. */
async function judge(ms: number | undefined): Promise<ReadonlyMap<string, string>> {
  const checkSchemas = () =>
    new Promise<undefined>((resolve) => {
      if (ms !== undefined) setTimeout(resolve, ms, undefined);
    });
  const judged = judgeTools({ checkSchemas, log }, 'notes', { items: [item], good: new Set() });
  await vi.advanceTimersByTimeAsync(200_000);
  return judged;
}

test('a check that waits until the checks of forty other servers are done does not disable the tool', async () => {
  expect([...(await judge(60_000))]).toEqual([]);
});

test('a check that never returns disables the tool', async () => {
  expect([...(await judge(undefined))]).toEqual([['search', 'its schemas could not be checked in time']]);
});
