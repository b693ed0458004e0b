import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import type { Resolve } from './auth/guarded-fetch.ts';
import { createNameResolver } from './name-resolver.ts';

const PUBLIC: LookupAddress[] = [{ address: '8.8.8.8', family: 4 }];

test('answers with every address, or that nobody knows the name, and asks once in ten seconds', async () => {
  let now = 0;
  const asked: string[] = [];
  const resolve: Resolve = (host, _, callback) => {
    asked.push(host);
    if (host.startsWith('bad')) callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    else callback(null, [...PUBLIC, { address: '::1', family: 6 }]);
  };
  const names = createNameResolver({ resolve, now: () => now });
  const both = new Map<string, unknown>([
    ['good.example', ['8.8.8.8', '::1']],
    ['bad.example', 'unknown'],
  ]);
  expect(await names.lookUp(['good.example', 'bad.example', 'good.example'])).toEqual(both);
  expect(await names.lookUp(['bad.example', 'good.example'])).toEqual(both);
  expect(asked).toEqual(['good.example', 'bad.example']);
  now = 10_001;
  await names.lookUp(['good.example']);
  expect(asked).toHaveLength(3);
});

test('what does not answer is late, holds up no other name, and three at most are asked at a time', async () => {
  const pending: (() => void)[] = [];
  let underWay = 0;
  let most = 0;
  const resolve: Resolve = (host, _, callback) => {
    most = Math.max(most, ++underWay);
    const end = () => {
      underWay--;
      callback(null, PUBLIC);
    };
    if (host.startsWith('slow')) pending.push(end);
    else queueMicrotask(end);
  };
  const names = createNameResolver({ resolve, deadlineMs: 20 });
  const first = await names.lookUp(['slow.example', 'a.example', 'b.example', 'c.example']);
  expect([...first.values()].filter((one) => one === 'late')).toHaveLength(1);
  expect(first.get('slow.example')).toBe('late');
  expect(most).toBe(3);
  for (const end of pending) end();
  // It came later, and whoever asks next has it.
  expect((await names.lookUp(['slow.example'])).get('slow.example')).toEqual(['8.8.8.8']);
});

test('a flood of slow names ends: what finds no room is late, and nothing is kept for ever', async () => {
  const names = createNameResolver({ resolve: () => {}, deadlineMs: 10 });
  const flood = Array.from({ length: 1_000 }, (_, i) => `slow${i}.example`);
  const answers = await names.lookUp(flood);
  expect([...answers.values()].every((one) => one === 'late')).toBe(true);
  expect((await names.lookUp(['one-more.example'])).get('one-more.example')).toBe('late');
});

test('what throws is a name that nobody knows', async () => {
  const resolve: Resolve = () => {
    throw new TypeError('no name');
  };
  expect((await createNameResolver({ resolve }).lookUp(['x'])).get('x')).toBe('unknown');
});
