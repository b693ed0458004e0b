import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

function* steps(name: string, count: number, done: string[]): Generator<undefined, void> {
  for (let step = 0; step < count; step++) {
    done.push(name);
    yield;
  }
}

test('a long work does not keep a short one waiting to its end', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const long = turns.run(steps('long', 5000, done));
  await turns.run(steps('short', 10, done));
  expect(done.filter((name) => name === 'long').length).toBeLessThan(5000);
  await long;
  expect(done).toHaveLength(5010);
});

test('others have their turn while a work goes on', async () => {
  const turns = new Turns();
  let isOver = false;
  let others = 0;
  const look = (): void => {
    if (isOver) return;
    others += 1;
    setImmediate(look);
  };
  setImmediate(look);
  function* slow(): Generator<undefined, void> {
    for (let step = 0; step < 20; step++) {
      const until = performance.now() + 2;
      while (performance.now() < until);
      yield;
    }
  }
  await turns.run(slow());
  isOver = true;
  expect(others).toBeGreaterThanOrEqual(19);
});

test('what a step throws is for whoever waits for that work, and ends no other', async () => {
  const turns = new Turns();
  function* broken(): Generator<undefined, void> {
    yield;
    throw new Error('broken');
  }
  const failed = expect(turns.run(broken())).rejects.toThrow('broken');
  const done: string[] = [];
  await turns.run(steps('next', 3, done));
  await failed;
  await turns.run(steps('later', 1, done));
  expect(done).toEqual(['next', 'next', 'next', 'later']);
});
