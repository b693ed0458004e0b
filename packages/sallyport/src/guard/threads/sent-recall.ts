import { joinMarks } from '../taint/labels.ts';
import type { Prints, Recall } from '../taint/taint-ports.ts';
import type { SentRecall } from './reading.ts';

export function toSentRecall(recall: Recall, prints: Prints): SentRecall {
  const known: [number, { marks: number; source: ReturnType<Recall['sourceOf']> }][] = [];
  for (let i = 0; i < prints.size; i++)
    if (recall.has(i)) known.push([i, { marks: recall.marksOf(i), source: recall.sourceOf(i) }]);
  const { marks, origins, isFull } = recall;
  return { marks, origins, isFull, known: new Map(known) };
}

/** Of parts that were asked about one after the other. @param size prints of each part but the last */
export function toRecall(parts: readonly SentRecall[], size: number): Recall {
  const at = (index: number) => parts[Math.floor(index / size)]?.known.get(index % size);
  const last = parts.at(-1);
  return {
    marks: parts.reduce((joined, { marks }) => joinMarks(joined, marks), 0),
    origins: last?.origins ?? [],
    isFull: parts.some(({ isFull }) => isFull),
    has: (index) => at(index) !== undefined,
    marksOf: (index) => at(index)?.marks ?? 0,
    sourceOf: (index) => at(index)?.source,
  };
}
