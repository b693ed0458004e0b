import { expect, test } from 'vitest';
import type { Prints, Recall } from '../taint/taint-ports.ts';
import { toRecall, toSentRecall } from './sent-recall.ts';

test('what a thread is sent of a run is what is known of it, print by print', () => {
  const recall = {
    ...{ marks: 3, origins: [], isFull: false },
    has: (index: number) => index === 1,
    marksOf: () => 2,
    sourceOf: () => ({ upstream: 'mail' }),
  } as unknown as Recall; // of a source only its name is looked at here
  const prints = { size: 3 } as unknown as Prints; // only how many there are
  const back = toRecall([toSentRecall(recall, prints)], prints.size);
  expect([0, 1, 2].map((index) => back.has(index))).toEqual([false, true, false]);
  expect([back.marksOf(1), back.sourceOf(1), back.marks]).toEqual([2, { upstream: 'mail' }, 3]);
});
