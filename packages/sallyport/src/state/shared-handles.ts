import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { SharedValue, SharedValues } from '../core/shared-state.ts';
import type { HandleStore, KeptText } from '../guard/plan/handle.ts';
import { askStore, toDamaged } from './ask-store.ts';
import type { RowKeys } from './row-keys.ts';
import { createTrimming } from './trimming.ts';

export interface SharedHandlesOptions {
  readonly values: SharedValues;
  readonly keys: RowKeys;
  readonly clock: Clock;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly texts: number; readonly megabytes: number };
}

const MINUTE = 60_000;
const MEGABYTE = 1_000_000;
/** Texts of one to nine characters would fill a disk with what surrounds them. */
const SMALLEST = 256;
const READ = 'Opening a handle';
const WRITE = 'Keeping the texts of a result';

/** Kept texts that several processes share: sealed in the database, bound to their run and the server that wrote them. */
export function createSharedHandles({ values, keys, clock, limits }: SharedHandlesOptions): HandleStore {
  const all = () => ({ rows: Number.MAX_SAFE_INTEGER, size: limits().megabytes * MEGABYTE });
  const trimming = createTrimming((bounds) => values.trim('text', bounds), all);
  const shelfOf = (run: string) => ({ kind: 'text' as const, owner: keys.digest('text', run) });
  return {
    newId: () => keys.toId(randomBytes(16).toString('hex')),
    keep(run, texts) {
      const { minutes, texts: most, megabytes } = limits();
      const shelf = shelfOf(run);
      const expiresAt = clock.now() + minutes * MINUTE;
      const kept = [...texts].map(([id, { text, upstream }]): SharedValue => {
        const sealed = keys.seal(['text', shelf.owner, id, upstream], text);
        return { id, origin: upstream, sealed, size: sealed.length + SMALLEST, expiresAt };
      });
      if (kept.length === 0) return undefined;
      const bounds = { rows: most, size: megabytes * MEGABYTE };
      const work = values.put(shelf, kept, bounds).then(() => trimming.after(kept));
      return askStore({ step: WRITE }, work);
    },
    async find(run, ids) {
      const shelf = shelfOf(run);
      const rows = await askStore({ step: READ }, values.get(shelf, [...new Set(ids)]));
      return new Map(rows.map((row) => [row.id, open(keys, shelf.owner, row)]));
    },
  };
}

function open(keys: RowKeys, owner: string, { id, origin, sealed }: SharedValue): KeptText {
  try {
    return { text: keys.open(['text', owner, id, origin], sealed).toString(), upstream: origin };
  } catch (error) {
    throw toDamaged(READ, error);
  }
}
