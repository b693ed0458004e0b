import type { Bounds } from '../core/shared-state.ts';

export interface Trimming {
  /** Told of what was written; asks the store to make room now and then. */
  after(written: readonly { readonly size: number }[]): Promise<void>;
}

/** Counting everything at every write would cost more than the write. Each process may be over by this part of a bound. */
const PART = 16;
/** Rows that are over go this often at least while something is written. Milliseconds. */
const TRIM_MS = 60_000;

/** Keeps a kind of rows within its bounds. */
export function createTrimming(
  trim: (all: Bounds) => Promise<void>,
  all: Bounds | (() => Bounds),
  now: () => number = () => performance.now(),
): Trimming {
  let rows = 0;
  let size = 0;
  let trimmedAt = Number.NEGATIVE_INFINITY;
  return {
    async after(written) {
      const bounds = typeof all === 'function' ? all() : all;
      rows += written.length;
      for (const one of written) size += one.size;
      if (rows <= bounds.rows / PART && size <= bounds.size / PART && now() - trimmedAt < TRIM_MS) return;
      rows = 0;
      size = 0;
      trimmedAt = now();
      await trim(bounds);
    },
  };
}
