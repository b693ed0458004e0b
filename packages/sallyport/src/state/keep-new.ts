import { CLEAN, joinMarks } from '../guard/taint/labels.ts';
import { PrintList } from '../guard/taint/print-list.ts';
import { MAX_ORIGINS, type Prints, type Recall, type Remembered } from '../guard/taint/taint-ports.ts';
import type { LocalTaintMemory } from './taint-memory.ts';

export interface Keeping {
  readonly what: readonly Remembered[];
  /** What this process knows already, and others do not. */
  readonly given: readonly Remembered[];
  /** Prints that still find room. */
  readonly room: number;
}

/** What a run is to remember that it does not know: a document that is read twice is written once. */
export function keepNew(local: LocalTaintMemory, run: string, { what, given, room }: Keeping): readonly Remembered[] {
  const fresh: Remembered[] = [];
  const isHeld = local.holds(run);
  let left = room;
  for (const one of given) {
    const prints = one.prints.size <= left ? one.prints : NONE;
    left -= prints.size;
    fresh.push({ ...one, prints, isPartial: one.isPartial === true || prints !== one.prints });
  }
  for (const one of what) {
    const known = isHeld ? local.recall(run, one.prints) : undefined;
    const prints = keepUnknown(one, known);
    const isCut = prints.size > left;
    if (isCut) prints.size = Math.max(0, left);
    left -= prints.size;
    const isPartial = one.isPartial === true || isCut;
    if (prints.size > 0 || known === undefined || adds({ ...one, isPartial }, known))
      fresh.push({ source: one.source, marks: one.marks, prints, isPartial });
  }
  return fresh;
}

const NONE: Prints = new PrintList(1);

/** A list of its own, each print once: the one that was given is used again for the next call. */
function keepUnknown({ prints, marks }: Remembered, known: Recall | undefined): PrintList {
  const kept = new PrintList(64);
  const isFirst = createFirst(prints);
  for (let i = 0; i < prints.size; i++)
    if ((known === undefined || !covers(known, i, marks)) && isFirst(i))
      kept.add(prints.high[i] ?? 0, prints.low[i] ?? 0);
  return kept;
}

/** Whether a print stands for the first time in a list; a text repeats itself, and each print takes room. */
function createFirst({ high, low, size }: Prints): (index: number) => boolean {
  let slots = 64;
  // Never more than half full, so that looking for a slot ends.
  while (slots < size * 2) slots *= 2;
  const taken = new Uint32Array(slots);
  return (index) => {
    const [a, b] = [high[index], low[index]];
    let slot = ((a ?? 0) ^ Math.imul(b ?? 0, 0x9e37_79b1)) & (slots - 1);
    for (let at = taken[slot] ?? 0; at !== 0; at = taken[slot] ?? 0) {
      if (high[at - 1] === a && low[at - 1] === b) return false;
      slot = (slot + 1) & (slots - 1);
    }
    taken[slot] = index + 1;
    return true;
  };
}

function covers(known: Recall, index: number, marks: number): boolean {
  if (!known.has(index)) return false;
  const before = known.marksOf(index);
  return (before & CLEAN) !== 0 || joinMarks(before, marks) === before;
}

/** Does it say more of the run than is known, apart from its prints? */
function adds({ source, marks, isPartial }: Remembered, known: Recall): boolean {
  if ((marks & CLEAN) === 0 && joinMarks(known.marks, marks) !== known.marks) return true;
  if (isPartial === true && !known.isFull) return true;
  return source !== undefined && !known.origins.includes(source.upstream) && known.origins.length < MAX_ORIGINS;
}
