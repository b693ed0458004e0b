import { expect, test } from 'vitest';
import { startNode } from './child.ts';
import { cpuBetween, descendants, isAlive, programProcesses, usageOf } from './process-tree.ts';

const PARENT = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")', process.argv[1]], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  child.stdout.once('data', () => console.log('{"port":1}'));
  process.on('SIGTERM', () => process.exit(0));
`;

test('a process is ended with everything it started, groups of their own and deaf to SIGTERM included', async () => {
  const child = startNode({ args: ['-e', PARENT, 'some-helper'] });
  expect(await child.stdoutLine).toBe('{"port":1}');
  const below = descendants(child.pid);
  expect(below).toHaveLength(1);
  expect(programProcesses(child.pid, 'other')).toHaveLength(2);
  expect(programProcesses(child.pid, 'some-helper')).toEqual([child.pid]);
  await child.stop();
  await expect.poll(() => below.filter(isAlive)).toEqual([]);
  expect(child.ended()).toBe('ended with 0');
});

test('CPU time and memory of this process are seen', () => {
  const before = usageOf([process.pid]);
  const until = performance.now() + 60;
  while (performance.now() < until);
  const used = cpuBetween(before, usageOf([process.pid]));
  expect(used).toBeGreaterThan(5_000);
  expect(before.rssBytes).toBeGreaterThan(10_000_000);
  expect(before.peakBytes).toBeGreaterThanOrEqual(before.rssBytes);
});

test('a process that ends before it is ready says how', async () => {
  const child = startNode({ args: ['-e', 'console.error("no such thing"); process.exit(3)'] });
  await expect(child.stdoutLine).rejects.toThrow('ended with 3');
  expect(child.lastWords()).toBe('no such thing');
});
