import type { Clock } from '../core/clock.ts';
import type { RunRow, SharedRuns } from '../core/shared-state.ts';
import { PUBLIC } from '../guard/taint/labels.ts';
import { PrintList } from '../guard/taint/print-list.ts';
import type { Remembered } from '../guard/taint/taint-ports.ts';
import { toDamaged } from './ask-store.ts';
import { openRow, sealRow } from './print-rows.ts';
import type { RowKeys } from './row-keys.ts';
import { createTaintMemory, type LocalTaintMemory, type TaintLimits } from './taint-memory.ts';

export interface KnownRunsOptions {
  readonly runs: SharedRuns;
  readonly keys: RowKeys;
  readonly clock: Clock;
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
  readonly limits: () => TaintLimits;
  /** Rows of a run are gone; what this process knows of it has to be written anew. */
  readonly onGone: (run: string, known: readonly Remembered[]) => void;
}

/** How far this process knows a run. */
export interface Known {
  /** Of the last row it took over; 0: none. */
  readonly seq: number;
  /** Prints in its rows. */
  readonly size: number;
}

/** The rows of runs, as far as this process has taken them over into a memory of its own. */
export interface KnownRuns {
  readonly local: LocalTaintMemory;
  of(run: string): Known;
  /** Takes over what other processes wrote. @returns whether anything is kept of the run */
  learn(run: string): Promise<boolean>;
  /** Writes the row behind those that are known, and takes it over. */
  add(run: string, what: readonly Remembered[], mostRuns: number): ReturnType<SharedRuns['append']>;
}

const STEP = 'Reading what this run has read';
/** A run is kept this much longer than promised, so that not every use of it writes. */
const SLACK = 1.25;
/** Rows read at once. */
const MANY = 64;
export const MAX_TRIES = 20;
export const NO_PRINTS = new PrintList(1);

const NOTHING: Known = Object.freeze({ seq: 0, size: 0 });
const FORGOTTEN: Remembered = Object.freeze({ marks: PUBLIC, prints: NO_PRINTS, isPartial: true });

export function createKnownRuns({ runs, keys, clock, now, limits, onGone }: KnownRunsOptions): KnownRuns {
  // Those that share a run, and those the database has forgotten meanwhile, have room beside the others.
  const local = createTaintMemory({
    now,
    limits() {
      const { printsPerRun, prints, runs: most, idleMs } = limits();
      return { printsPerRun, prints, runs: 2 * most + 2, idleMs };
    },
  });
  const known = new Map<string, Known>();
  const nameOf = (run: string) => keys.digest('run', run);
  const contextOf = (name: string, seq: number) => ['run', name, String(seq)];
  const lastingUntil = () => clock.now() + limits().idleMs * SLACK;
  const of = (run: string): Known => (local.holds(run) ? (known.get(run) ?? NOTHING) : NOTHING);

  function note(run: string, what: Known): void {
    known.delete(run);
    known.set(run, what);
    // What is forgotten here is read anew.
    for (const oldest of known.keys()) if (known.size > limits().runs) known.delete(oldest);
  }

  function take(run: string, name: string, row: RunRow): void {
    const { seq, size } = of(run);
    let what: readonly Remembered[];
    try {
      if (row.seq !== seq + 1) throw new Error(`row ${seq + 1} is missing`);
      what = openRow(keys, contextOf(name, row.seq), row);
    } catch (error) {
      throw toDamaged(STEP, error);
    }
    local.remember(run, what);
    if (!local.holds(run)) throw new Error('this process has no room for one more run');
    note(run, { seq: row.seq, size: size + row.size });
  }

  /** What this process knows goes on to count, and the run is full for everybody. */
  function restore(run: string): void {
    const marks = local.marksOf(run);
    const sources = local.originsOf(run).map((upstream) => ({ callId: '', upstream, target: '', marks }));
    known.delete(run);
    local.remember(run, [FORGOTTEN]);
    onGone(run, [{ ...FORGOTTEN, marks }, ...sources.map((source) => ({ source, marks, prints: NO_PRINTS }))]);
  }

  return {
    local,
    of,
    async learn(run) {
      const name = nameOf(run);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const before = of(run).seq;
        const head = await runs.head(name);
        const { seq } = of(run);
        // Meanwhile somebody here wrote or read: what was asked is old.
        if (seq !== before) continue;
        if ((head?.seq ?? 0) < seq) {
          restore(run);
          continue;
        }
        if (head === undefined) return false;
        if (head.expiresAt - clock.now() < limits().idleMs) await runs.touch(name, lastingUntil());
        if (head.seq === seq) return true;
        const rows = await runs.read(name, seq, MANY);
        if (of(run).seq !== seq) continue;
        if (rows.length === 0) throw toDamaged(STEP, new Error(`row ${seq + 1} is missing`));
        for (const row of rows) take(run, name, row);
        // A run of many rows is read in as many steps as it needs.
        if (rows.length === MANY) tries--;
      }
      throw new Error('other processes write to this run all the time');
    },
    async add(run, what, mostRuns) {
      const name = nameOf(run);
      const before = of(run);
      const seq = before.seq + 1;
      const size = what.reduce((sum, { prints }) => sum + prints.size, 0);
      const row = { seq, size, ...sealRow(keys, contextOf(name, seq), what) };
      const done = await runs.append(name, row, { expiresAt: lastingUntil(), mostRuns });
      // A call that was faster has read the row already.
      if (done !== 'done' || of(run).seq !== before.seq) return done;
      local.remember(run, what);
      note(run, { seq, size: before.size + size });
      return done;
    },
  };
}
