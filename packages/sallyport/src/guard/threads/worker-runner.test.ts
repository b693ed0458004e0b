import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { WorkerReply, WorkerRequest } from '../schema/schema-worker.ts';
import { createWorkerRunner, toWorkerFile, type WorkerRunner } from './worker-runner.ts';

let runner: WorkerRunner<WorkerRequest, WorkerReply> | undefined;
const file = toWorkerFile(import.meta.url, 'guard/schema/schema-worker.js');
afterEach(() => runner?.close());

/** Compiling it takes several times the deadline. */
const wide: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`p${i}`, { pattern: `^${i}` }])),
};

function check(usedMs: () => number, deadlineMs = 60) {
  const timeThread = (start: () => void) => {
    start();
    return usedMs;
  };
  runner = createWorkerRunner({ file, memoryMb: 192, idleMs: 1_000, timeThread });
  return runner.run({ lane: 'a', prepare: () => ({ request: { kind: 'check', schema: wide }, deadlineMs }) });
}

test('who has the processor all the time is late at the deadline', async () => {
  expect(await check(() => performance.now())).toEqual({ kind: 'late', isCompiled: true });
});

test('who gets half of it has twice the time, and is late then', async () => {
  expect(await check(() => performance.now() / 2)).toEqual({ kind: 'late', isCompiled: true });
});

test('who gets none waits for it, and what is done by then counts', async () => {
  // Twenty times as long is waited at most: room for a slow machine.
  const outcome = await check(() => 0, 3_000);
  expect(outcome.kind).toBe('usable');
});

test('a thread that was started for a job to come does it', async () => {
  let threads = 0;
  const timeThread = (start: () => void) => {
    threads++;
    start();
    return () => 0;
  };
  runner = createWorkerRunner({ file, memoryMb: 192, idleMs: 60_000, timeThread });
  runner.start();
  runner.start();
  const request: WorkerRequest = { kind: 'check', schema: { type: 'object' } };
  const outcome = await runner.run({ lane: 'a', prepare: () => ({ request, deadlineMs: 3_000 }) });
  expect([outcome.kind, threads]).toEqual(['usable', 1]);
});
