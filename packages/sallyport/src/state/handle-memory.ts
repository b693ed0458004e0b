import { randomBytes } from 'node:crypto';
import type { HandleStore, KeptText } from '../guard/plan/handle.ts';

export interface HandleMemoryOptions {
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly texts: number; readonly megabytes: number };
}

interface Entry {
  readonly kept: KeptText;
  readonly keptUntil: number;
}

const MINUTE = 60_000;
const MEGABYTE = 1_000_000;

/** Kept texts of this process: in memory, each run's apart, gone at the end of their time or of the process. */
export function createHandleMemory({ now, limits }: HandleMemoryOptions): HandleStore {
  /** Runs, and the texts of each, in the order they were last kept. */
  const byRun = new Map<string, Map<string, Entry>>();
  let bytes = 0;

  const remove = (run: string, id: string): void => {
    const owned = byRun.get(run);
    const entry = owned?.get(id);
    if (owned === undefined || entry === undefined) return;
    bytes -= sizeOf(entry.kept);
    owned.delete(id);
    if (owned.size === 0) byRun.delete(run);
  };
  const makeRoom = (newest: string): void => {
    const { texts, megabytes } = limits();
    for (const [run, owned] of byRun)
      for (const [id, { keptUntil }] of owned) {
        const isOver = bytes > megabytes * MEGABYTE || (owned.size > texts && run === newest);
        if (keptUntil > now() && !isOver) break;
        remove(run, id);
      }
  };

  return {
    keep(run, kept) {
      const owned = byRun.get(run) ?? new Map<string, Entry>();
      byRun.delete(run);
      byRun.set(run, owned);
      const id = toId();
      owned.set(id, { kept, keptUntil: now() + limits().minutes * MINUTE });
      bytes += sizeOf(kept);
      makeRoom(run);
      return id;
    },
    find(run, id) {
      const entry = byRun.get(run)?.get(id);
      return entry === undefined || entry.keptUntil <= now() ? undefined : entry.kept;
    },
  };
}

/** Strings take two bytes a character at worst. */
function sizeOf({ text }: KeptText): number {
  return 2 * text.length + 256;
}

const SIGNS = 'abcdefghijklmnopqrstuvwxyz234567';

/** 80 bits: nobody guesses a handle they were not given. */
function toId(): string {
  return [...randomBytes(16)].map((byte) => SIGNS[byte & 31]).join('');
}
