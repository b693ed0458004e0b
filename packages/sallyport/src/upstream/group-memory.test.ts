import { expect, it } from 'vitest';
import { parsePs, parseStatGroup, parseStatusMemory, readGroupMemory } from './group-memory.ts';

it('finds the group behind a hostile process name', () => {
  expect(parseStatGroup('42 (node) S 1 37 37 0 -1')).toBe(37);
  expect(parseStatGroup('42 (a) S 1 99 (b) R 7 38 38 0')).toBe(38);
  expect(parseStatGroup('')).toBeUndefined();
});

it('reads resident memory; a zombie has none', () => {
  expect(parseStatusMemory('Name:\tnode\nVmHWM:\t  9 kB\nVmRSS:\t    2048 kB\n')).toBe(2 * 1024 * 1024);
  expect(parseStatusMemory('Name:\tnode\nState:\tZ (zombie)\n')).toBe(0);
});

it('reads what ps prints', () => {
  expect(parsePs('    1   1024\n  -   x\n12345 8\n')).toEqual([
    { group: 1, bytes: 1_048_576 },
    { group: 12345, bytes: 8192 },
  ]);
});

it.skipIf(process.platform === 'win32')('measures living groups and leaves out dead ones', async () => {
  const { execFileSync } = await import('node:child_process');
  const own = Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)], { encoding: 'utf8' }));
  const used = await readGroupMemory(new Set([own, 999_999_999]));
  expect([...used.keys()]).toEqual([own]);
  expect(used.get(own)).toBeGreaterThan(10 * 1024 * 1024);
});
