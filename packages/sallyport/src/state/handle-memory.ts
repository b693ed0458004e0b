import { randomBytes } from 'node:crypto';
import { toShortId } from '../core/short-id.ts';
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
  /** Runs, in the order they last kept something, and the texts of each, the oldest first. */
  const byRun = new Map<string, Map<string, Entry>>();
  let bytes = 0;

  const removeOldest = (run: string, owned: Map<string, Entry>): void => {
    for (const [id, { kept }] of owned) {
      bytes -= sizeOf(kept);
      owned.delete(id);
      break;
    }
    if (owned.size === 0) byRun.delete(run);
  };
  /** Looks at no run that stays as it is: there may be a hundred thousand. */
  const makeRoom = (megabytes: number): void => {
    for (const [run, owned] of byRun) {
      for (const { keptUntil } of owned.values()) {
        if (keptUntil > now() && bytes <= megabytes * MEGABYTE) return;
        removeOldest(run, owned);
      }
    }
  };

  return {
    newId: () => toShortId(randomBytes(16)),
    keep(run, given) {
      const { minutes, texts, megabytes } = limits();
      const owned = byRun.get(run) ?? new Map<string, Entry>();
      byRun.delete(run);
      byRun.set(run, owned);
      for (const [id, kept] of given) {
        // One that has no room even alone would push out all others, and then itself.
        if (sizeOf(kept) > megabytes * MEGABYTE) continue;
        owned.set(id, { kept, keptUntil: now() + minutes * MINUTE });
        bytes += sizeOf(kept);
        if (owned.size > texts) removeOldest(run, owned);
      }
      if (owned.size === 0) byRun.delete(run);
      makeRoom(megabytes);
    },
    find(run, ids) {
      const owned = byRun.get(run);
      const found = new Map<string, KeptText>();
      for (const id of ids) {
        const entry = owned?.get(id);
        if (entry !== undefined && entry.keptUntil > now()) found.set(id, entry.kept);
      }
      return found;
    },
  };
}

/** Strings take two bytes a character at worst. */
function sizeOf({ text }: KeptText): number {
  return 2 * text.length + 256;
}
