import { CLEAN, joinMarks, type Marks, PUBLIC } from '../guard/taint/labels.ts';
import {
  MAX_ORIGINS,
  type Prints,
  type Recall,
  type Remembered,
  type Source,
  type TaintMemory,
} from '../guard/taint/taint-ports.ts';
import { PrintTable } from './print-table.ts';

export interface TaintMemoryOptions {
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
  readonly limits: () => TaintLimits;
}

export interface TaintLimits {
  /** Fingerprints of one run; a megabyte of text makes about 300,000, of private text a million. */
  readonly printsPerRun: number;
  /** Of all runs together. Sixteen bytes each, twice that while a table grows. */
  readonly prints: number;
  readonly runs: number;
  /** A run that nobody continued for so long is forgotten. */
  readonly idleMs: number;
}

/** One that answers at once. */
export interface LocalTaintMemory extends TaintMemory {
  recall(run: string, prints: Prints): Recall | undefined;
  remember(run: string, what: readonly Remembered[]): void;
  marksOf(run: string): Marks;
  originsOf(run: string): readonly string[];
  /** Is there a memory of this very run? It counts as used. */
  holds(run: string): boolean;
}

/** Results of one run that are told apart in explanations. Later ones still mark, and are called by the name of the last. */
const MAX_SOURCES = 4_096;
const MOST_LOOKED_AT = 1_000;
/** How often idle runs are looked for. Milliseconds. */
const SWEEP_MS = 30_000;

interface Run {
  marks: Marks;
  readonly origins: Set<string>;
  readonly sources: Source[];
  table: PrintTable | undefined;
  isFull: boolean;
  usedAt: number;
}

/**
 * What runs have read, in the memory of this process. Bounded in all directions, and closed where a bound is met: a run
 * whose values found no room is full, and whoever finds no room for a run of their own shares one with the others who did
 * not, which bears all their marks.
 */
export function createTaintMemory({ now, limits }: TaintMemoryOptions): LocalTaintMemory {
  /** In the order of their last use. */
  const runs = new Map<string, Run>();
  let overflow: Run | undefined;
  /** The one that was used last, which stands last already. */
  let last: Run | undefined;
  let held = 0;
  let sweptAt = now();

  function drop(run: Run): void {
    held -= run.table?.size ?? 0;
    run.table = undefined;
    run.isFull = true;
  }

  function sweep(at: number): void {
    if (at - sweptAt < SWEEP_MS) return;
    sweptAt = at;
    const { idleMs } = limits();
    for (const [id, run] of runs) {
      if (at - run.usedAt < idleMs) break;
      held -= run.table?.size ?? 0;
      runs.delete(id);
    }
    if (overflow !== undefined && at - overflow.usedAt >= idleMs) overflow = undefined;
  }

  function find(id: string): Run | undefined {
    const at = now();
    sweep(at);
    const run = runs.get(id);
    if (run === undefined) {
      if (overflow !== undefined) overflow.usedAt = at;
      return overflow;
    }
    if (at - run.usedAt >= limits().idleMs) {
      held -= run.table?.size ?? 0;
      runs.delete(id);
      return overflow;
    }
    run.usedAt = at;
    if (run === last) return run;
    runs.delete(id);
    runs.set(id, run);
    last = run;
    return run;
  }

  function open(id: string): Run {
    const known = runs.get(id) ?? undefined;
    if (known !== undefined) return find(id) ?? known;
    const at = now();
    if (runs.size >= limits().runs) dropOneUnmarked();
    if (runs.size >= limits().runs) {
      // Fail closed: no run that has read something is forgotten to make room for another one.
      overflow ??= { ...newRun(at), isFull: true };
      overflow.usedAt = at;
      return overflow;
    }
    const run = newRun(at);
    runs.set(id, run);
    last = run;
    return run;
  }

  /** One that has read nothing marked loses only what vouches for its calls. Those used longest ago are looked at. */
  function dropOneUnmarked(): void {
    let looked = 0;
    for (const [id, run] of runs) {
      if (++looked > MOST_LOOKED_AT) return;
      if (run.marks !== PUBLIC) continue;
      held -= run.table?.size ?? 0;
      runs.delete(id);
      return;
    }
  }

  /** Room for more prints; the values of the run that was used longest ago go first, and it is full from then on. */
  function makeRoom(wanted: number, but: Run): boolean {
    const { prints } = limits();
    if (held + wanted <= prints) return true;
    for (const run of runs.values()) {
      if (held + wanted <= prints) return true;
      if (run !== but && run.table !== undefined) drop(run);
    }
    return held + wanted <= prints;
  }

  function put(run: Run, what: Remembered): void {
    note(run, what);
    const { source, marks, prints } = what;
    if (prints.size === 0 || run === overflow) return;
    const { printsPerRun } = limits();
    const before = run.table?.size ?? 0;
    if (before >= printsPerRun || !makeRoom(Math.min(prints.size, printsPerRun - before), run)) {
      run.isFull = true;
      return;
    }
    run.table ??= new PrintTable();
    const entry = { marks, source: source === undefined ? 0 : run.sources.length };
    const isWhole = run.table.putAll(prints, entry, printsPerRun);
    if (!isWhole) run.isFull = true;
    held += run.table.size - before;
  }

  return {
    recall: (id, prints) => {
      const run = find(id);
      return run === undefined ? undefined : toRecall(run, prints);
    },
    remember(id, what) {
      const run = open(id);
      for (const one of what) put(run, one);
    },
    marksOf: (id) => find(id)?.marks ?? PUBLIC,
    originsOf: (id) => [...(find(id)?.origins ?? [])],
    holds: (id) => ![undefined, overflow].includes(find(id)),
  };
}

function note(run: Run, { source, marks, isPartial }: Pick<Remembered, 'source' | 'marks' | 'isPartial'>): void {
  if ((marks & CLEAN) === 0) run.marks = joinMarks(run.marks, marks);
  if (isPartial === true) run.isFull = true;
  if (source !== undefined && run.origins.size < MAX_ORIGINS) run.origins.add(source.upstream);
  if (source !== undefined) {
    const last = run.sources.at(-1);
    // Each of a hundred keys in one result is from the same one.
    if (last?.callId === source.callId && last.marks === source.marks) run.sources.pop();
    if (run.sources.length < MAX_SOURCES) run.sources.push(source);
    else run.sources[MAX_SOURCES - 1] = source;
  }
}

function newRun(at: number): Run {
  return { marks: PUBLIC, origins: new Set(), sources: [], table: undefined, isFull: false, usedAt: at };
}

function toRecall(run: Run, prints: Prints): Recall {
  return new RunRecall(run, run.table?.findAll(prints));
}

/** Of the moment it was made: what is remembered afterwards does not change it. */
class RunRecall implements Recall {
  readonly marks: Marks;
  readonly isFull: boolean;
  readonly #sources: readonly Source[];
  readonly #origins: ReadonlySet<string>;
  readonly #found: Uint32Array | undefined;

  constructor(run: Run, found: Uint32Array | undefined) {
    this.marks = run.marks;
    this.isFull = run.isFull;
    this.#sources = run.sources;
    this.#origins = run.origins;
    this.#found = found;
  }

  get origins(): readonly string[] {
    return [...this.#origins];
  }

  has(index: number): boolean {
    return this.#at(index) !== 0;
  }

  marksOf(index: number): Marks {
    return this.#at(index) & 0xff;
  }

  sourceOf(index: number): Source | undefined {
    // Counted from 1; 0 is no result.
    return this.#sources[((this.#at(index) >>> 8) & 0x7f_ffff) - 1];
  }

  #at(index: number): number {
    return this.#found?.[index] ?? 0;
  }
}
