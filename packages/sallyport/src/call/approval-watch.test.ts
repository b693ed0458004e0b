import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../core/log.ts';
import type { Approval } from '../guard/approve/approval.ts';
import { ApprovalWatch } from './approval-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const approval = (id: string, state: Approval['state'], answers = 0): Approval =>
  ({ id, state, answers: Array.from({ length: answers }) }) as unknown as Approval;

/** A watch over a store that says what changed, and how often it was asked. */
function open() {
  const world = { changed: [] as Approval[], fails: false, looks: [] as number[] };
  const reported: [string, number][] = [];
  const log = { ...silentLog, error: () => void reported.push(['failed', 0]) };
  const watch = new ApprovalWatch({
    store: {
      async changedSince(since) {
        world.looks.push(Date.now() - since);
        if (world.fails) throw new Error('locked');
        return world.changed;
      },
    },
    log,
    onAnswered: ({ id, answers }) => void reported.push([id, answers.length]),
  });
  return { watch, world, reported };
}

test('a call that waits goes on when another process took the answer', async () => {
  const { watch, world } = open();
  const settled: (string | undefined)[] = [];
  const unfollow = watch.follow('a', (one) => settled.push(one?.state));
  world.changed = [approval('a', 'waiting', 1), approval('b', 'allowed')];
  await vi.advanceTimersByTimeAsync(200);
  expect(settled).toEqual([]);
  world.changed = [approval('a', 'allowed', 2)];
  await vi.advanceTimersByTimeAsync(199);
  expect(settled).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(settled).toEqual(['allowed']);
  // Transactions take their time: what was written some seconds ago may be seen only now.
  expect(world.looks).toEqual([5_000, 5_000]);
  unfollow();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.looks).toHaveLength(3);
});

test('nothing is looked at while nobody waits', async () => {
  const { watch, world } = open();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.looks).toEqual([]);
  watch.follow('a', () => undefined)();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.looks).toHaveLength(1);
});

test('a store that fails is asked again', async () => {
  const { watch, world, reported } = open();
  let settled = 0;
  watch.follow('a', () => settled++);
  world.fails = true;
  await vi.advanceTimersByTimeAsync(200);
  expect([settled, reported]).toEqual([0, [['failed', 0]]]);
  world.fails = false;
  world.changed = [approval('a', 'denied')];
  await vi.advanceTimersByTimeAsync(200);
  expect(settled).toBe(1);
  watch.close();
});

test('each answer to what is expected is reported once, whichever process took it', async () => {
  const { watch, world, reported } = open();
  watch.expect(approval('a', 'waiting', 1));
  watch.tell(approval('a', 'waiting', 1));
  expect(reported).toEqual([]);
  watch.tell(approval('a', 'waiting', 2));
  world.changed = [approval('a', 'waiting', 2)];
  await vi.advanceTimersByTimeAsync(400);
  expect(reported).toEqual([['a', 2]]);
  world.changed = [approval('a', 'allowed', 3)];
  await vi.advanceTimersByTimeAsync(400);
  expect(reported).toEqual([
    ['a', 2],
    ['a', 3],
  ]);
  expect(world.looks).toHaveLength(3);
});

test('a thousand may wait, and one that stops waiting makes room', () => {
  const { watch } = open();
  const stops = Array.from({ length: 999 }, (_, i) => watch.follow(`a${i % 10}`, () => undefined));
  expect(watch.hasRoom).toBe(true);
  stops.push(watch.follow('last', () => undefined));
  expect(watch.hasRoom).toBe(false);
  stops[0]?.();
  stops[0]?.();
  expect(watch.hasRoom).toBe(true);
  stops.push(watch.follow('last', () => undefined));
  expect(watch.hasRoom).toBe(false);
  watch.close();
});

test('beyond a thousand the oldest that is expected is let go', () => {
  const { watch, reported } = open();
  for (let i = 0; i < 1_001; i++) watch.expect(approval(`a${i}`, 'waiting'));
  watch.tell(approval('a0', 'allowed', 1));
  watch.tell(approval('a1', 'allowed', 1));
  expect(reported).toEqual([['a1', 1]]);
  watch.close();
});

test('at the end every call that waits is answered, and nothing is looked at any more', async () => {
  const { watch, world, reported } = open();
  const settled: unknown[] = [];
  for (const id of ['a', 'a', 'b']) watch.follow(id, (one) => settled.push(one));
  watch.expect(approval('a', 'waiting'));
  watch.close();
  expect(settled).toEqual([undefined, undefined, undefined]);
  watch.tell(approval('a', 'allowed', 1));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([settled.length, reported, world.looks]).toEqual([3, [], []]);
});

test('a look that is under way at the end is the last one', async () => {
  const { watch, world } = open();
  watch.follow('a', () => undefined);
  world.changed = [approval('x', 'waiting')];
  vi.advanceTimersByTime(200);
  watch.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(world.looks).toHaveLength(1);
});
