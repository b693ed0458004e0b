import { expect, test } from 'vitest';
import { Behind } from './behind.ts';

function open() {
  const waiting: (() => void)[] = [];
  const begun: string[] = [];
  const behind = new Behind<string>({
    *begin() {
      begun.push('begun');
      yield undefined;
    },
    note: () => {},
    later: (work) => void waiting.push(work),
  });
  return { behind, begun, runNext: () => waiting.shift()?.() };
}

function* steps(): Generator<undefined, void> {
  yield undefined;
  yield undefined;
}

test('waits for what would have to be done again', () => {
  const { behind, begun, runNext } = open();
  const others = behind.before(steps());
  others.next();
  behind.wake();
  runNext();
  runNext();
  expect(begun).toEqual([]);
  for (const _ of others);
  runNext();
  expect(begun).toEqual(['begun']);
});

test('waits no longer for one that failed, and not for ever for one that never ends', () => {
  const failed = open();
  const others = failed.behind.before(steps());
  others.next();
  expect(() => others.throw(new Error('given up'))).toThrow('given up');
  failed.behind.wake();
  failed.runNext();
  expect(failed.begun).toEqual(['begun']);
  const endless = open();
  endless.behind.before(steps()).next();
  endless.behind.wake();
  for (let i = 0; i < 2_000 && endless.begun.length === 0; i++) endless.runNext();
  expect(endless.begun).toEqual(['begun']);
});
