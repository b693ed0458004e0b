import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeadOutlet } from './head-outlet.ts';
import type { Head } from './recover.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const headOf = (seq: number): Head => ({ seq, hash: `${seq}` });

function open(answers: (() => Promise<void>)[] = []) {
  const sent: number[] = [];
  const failed: unknown[] = [];
  const outlet = new HeadOutlet({
    everyMs: 1_000,
    send: ({ seq }) => {
      sent.push(seq);
      return answers.shift()?.() ?? Promise.resolve();
    },
    failed: (error) => failed.push(error),
  });
  return { outlet, sent, failed };
}

test('the first goes at once, then the newest of each interval, and the last one at the end', async () => {
  const { outlet, sent } = open();
  outlet.tell(headOf(1));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([1]);
  for (const seq of [2, 3, 4]) outlet.tell(headOf(seq));
  await vi.advanceTimersByTimeAsync(999);
  expect(sent).toEqual([1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([1, 4]);
  outlet.tell(headOf(5));
  await outlet.close();
  await outlet.close();
  expect(sent).toEqual([1, 4, 5]);
});

test('one that did not arrive is sent again, as the newest one there is', async () => {
  const { outlet, sent, failed } = open([
    () => Promise.reject(new Error('down')),
    () => Promise.reject(new Error('down')),
  ]);
  outlet.tell(headOf(1));
  await vi.advanceTimersByTimeAsync(0);
  expect(outlet.isTroubled).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  outlet.tell(headOf(2));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual([1, 1, 2]);
  expect(failed).toHaveLength(2);
  expect(outlet.isTroubled).toBe(false);
  await outlet.close();
  expect(sent).toHaveLength(3);
});

test('a slow one is waited for, by nobody but the end', async () => {
  let arrive = (): void => {};
  const { outlet, sent } = open([
    () =>
      new Promise((resolve) => {
        arrive = resolve;
      }),
  ]);
  outlet.tell(headOf(1));
  await vi.advanceTimersByTimeAsync(0);
  outlet.tell(headOf(2));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([1]);
  const closed = outlet.close();
  arrive();
  await closed;
  expect(sent).toEqual([1, 2]);
});
