import type { Log } from '../core/log.ts';
import { CLEAN } from '../guard/taint/labels.ts';
import type { Remembered, TaintMemory } from '../guard/taint/taint-ports.ts';
import { askStore } from './ask-store.ts';
import { keepNew } from './keep-new.ts';
import { createKnownRuns, type KnownRunsOptions, MAX_TRIES, NO_PRINTS } from './known-runs.ts';
import type { LocalTaintMemory } from './taint-memory.ts';
import { createTrimming } from './trimming.ts';

export interface SharedTaintOptions extends Omit<KnownRunsOptions, 'onGone'> {
  readonly log: Log;
}

export interface SharedTaintMemory extends TaintMemory {
  /** Of the run as this process met it last: for whoever asks right after `marksOf` and cannot wait. */
  readonly met: Pick<LocalTaintMemory, 'marksOf' | 'originsOf'>;
  /** Writes what waits. Idempotent. */
  close(): Promise<void>;
}

/** Where whoever finds no room for a run of their own shares one. No run has this name: it would be an empty principal's. */
const OVERFLOW = '\noverflow';
const READ = 'Reading what this run has read';
const WRITE = 'Remembering what this run has read';
/** Rows of one run; then it is full. */
const MAX_ROWS = 4_096;
/** What the client gave first waits so long for a result to be written with. Milliseconds. */
const WAIT_MS = 100;

/**
 * What runs have read, shared by all processes that have the key: rows in the order in which the results were released,
 * which each process takes over into a memory of its own before it decides about a call of the run. A result is released
 * once its row is committed, so that no later call can overtake it, wherever it comes in.
 */
export function createSharedTaintMemory({ log, ...options }: SharedTaintOptions): SharedTaintMemory {
  const { runs, limits } = options;
  /** What clients gave before anything was read: it only vouches for calls, so that to lose it asks once more. */
  const waiting = new Map<string, readonly Remembered[]>();
  /** Writes of one run go one after the other. */
  const lines = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  const known = createKnownRuns({ ...options, onGone });
  const { local } = known;
  const all = () => ({ rows: Number.MAX_SAFE_INTEGER, size: limits().prints });
  const trimming = createTrimming(({ size }) => runs.trim(size), all);

  function onGone(run: string, what: readonly Remembered[]): void {
    log.error({}, `${READ}: rows of a run are gone from sallyport.db; what this process knows of it is written anew`);
    wait(run, what);
  }

  /** The next row of a run, behind everything that others wrote. */
  async function write(run: string, what: readonly Remembered[], given: readonly Remembered[]): Promise<void> {
    const isShared = run === OVERFLOW;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const isNew = !(await known.learn(run)) && !isShared && (await known.learn(OVERFLOW));
      // It may have been among those that shared one: what those have read, it may have read.
      const shared = isNew ? [{ marks: local.marksOf(OVERFLOW), prints: NO_PRINTS, isPartial: true }] : [];
      const { seq, size } = known.of(run);
      const room = seq >= MAX_ROWS ? 0 : limits().printsPerRun - size;
      const fresh = keepNew(local, run, { what, given: [...shared, ...given], room });
      if (fresh.length === shared.length) return;
      const done = await known.add(run, fresh, isShared ? Number.MAX_SAFE_INTEGER : limits().runs);
      if (done === 'full') return write(OVERFLOW, fresh.map(toMarksOnly), []);
      if (done === 'done') return trimming.after([{ size: known.of(run).size - size }]);
    }
    throw new Error('other processes write to this run all the time');
  }

  /** With what waits, in the order in which it was asked for. */
  function store(run: string, what: readonly Remembered[]): Promise<void> {
    const before = lines.get(run)?.catch(() => undefined) ?? Promise.resolve();
    const done = before.then(() => {
      const given = waiting.get(run) ?? [];
      waiting.delete(run);
      return write(run, what, given);
    });
    lines.set(run, done);
    const leave = (): void => {
      if (lines.get(run) === done) lines.delete(run);
    };
    done.then(leave, leave);
    return done;
  }

  function wait(run: string, what: readonly Remembered[]): void {
    waiting.set(run, [...(waiting.get(run) ?? []), ...what]);
    timer ??= setTimeout(() => void storeAll(), WAIT_MS).unref();
  }

  async function storeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const stored = [...waiting.keys()].map((run) => askStore({ step: WRITE }, store(run, [])));
    for (const { status, ...why } of await Promise.allSettled(stored))
      if (status === 'rejected') log.error(why, 'what a client gave first could not be kept: it will be asked about');
  }

  /** Under which name this process knows the run. */
  const placeOf = (run: string): string => (!local.holds(run) && local.holds(OVERFLOW) ? OVERFLOW : run);

  async function meet(run: string): Promise<string> {
    if (!(await known.learn(run)) && !local.holds(run)) await known.learn(OVERFLOW);
    return placeOf(run);
  }

  return {
    marksOf: (run) => askStore({ step: READ }, meet(run)).then((place) => local.marksOf(place)),
    originsOf: (run) => askStore({ step: READ }, meet(run)).then((place) => local.originsOf(place)),
    // Asked right after `marksOf`, which has read the rows; a run that was pushed out meanwhile is read again.
    recall: (run, prints) =>
      local.holds(run)
        ? local.recall(run, prints)
        : askStore({ step: READ }, meet(run)).then((place) => local.recall(place, prints)),
    remember(run, what) {
      const fresh = keepNew(local, run, { what, given: [], room: limits().printsPerRun });
      // What is known here was committed by whoever remembered it: reading the same again waits for nobody.
      if (fresh.length === 0) return undefined;
      if (!what.every(isGiven)) return askStore({ step: WRITE }, store(run, what));
      local.remember(run, fresh);
      wait(run, fresh);
      return undefined;
    },
    met: { marksOf: (run) => local.marksOf(placeOf(run)), originsOf: (run) => local.originsOf(placeOf(run)) },
    close: storeAll,
  };
}

/** By the client, before it read anything: nothing that a call would be stopped for. */
function isGiven({ marks, source, isPartial }: Remembered): boolean {
  return (marks & CLEAN) !== 0 && source === undefined && isPartial !== true;
}

function toMarksOnly({ source, marks }: Remembered): Remembered {
  return { source, marks, prints: NO_PRINTS, isPartial: true };
}
