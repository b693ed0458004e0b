import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import type { SharedValue, SharedValues } from '../core/shared-state.ts';
import type { KeptSecret, SecretVault } from '../guard/secrets/vault.ts';
import { askStore, toDamaged } from './ask-store.ts';
import type { RowKeys } from './row-keys.ts';
import { createTrimming } from './trimming.ts';

export interface SharedVaultOptions {
  readonly values: SharedValues;
  readonly keys: RowKeys;
  readonly clock: Clock;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly entries: number };
}

const MINUTE = 60_000;
/** Characters of one owner's values: a thousand private keys. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Of all owners together. */
const ALL = { rows: 200_000, size: 64 * 1024 * 1024 };
const READ = 'Reading masked values';
const WRITE = 'Keeping masked values';

/** A vault that several processes share: values sealed in the database, bound to their owner and where they are from. */
export function createSharedVault({ values, keys, clock, limits }: SharedVaultOptions): SecretVault {
  const trimming = createTrimming((all) => values.trim('secret', all), ALL);
  const shelfOf = (owner: string) => ({ kind: 'secret' as const, owner: keys.digest('secret', owner) });
  return {
    keep(owner, secrets) {
      const { minutes, entries } = limits();
      const shelf = shelfOf(owner);
      const expiresAt = clock.now() + minutes * MINUTE;
      const rows = new Map<string, SharedValue>();
      const ids = secrets.map(({ value, kind, from, upstream }) => {
        const id = keys.toId(owner, kind, from, upstream, value);
        const origin = `${from} ${upstream}`;
        const sealed = keys.seal(['secret', shelf.owner, id, origin], JSON.stringify({ kind, value }));
        rows.set(id, { id, origin, sealed, size: value.length, expiresAt });
        return id;
      });
      const kept = [...rows.values()];
      const bounds = { rows: entries, size: MAX_CHARACTERS };
      const work = values.put(shelf, kept, bounds).then(() => trimming.after(kept));
      return askStore({ step: WRITE }, work).then(() => ids);
    },
    async find(owner, ids) {
      const shelf = shelfOf(owner);
      const rows = await askStore({ step: READ }, values.get(shelf, [...new Set(ids)]));
      const found = new Map(rows.map((row) => [row.id, open(keys, shelf.owner, row)]));
      return ids.map((id) => found.get(id));
    },
  };
}

function open(keys: RowKeys, owner: string, { id, origin, sealed }: SharedValue): KeptSecret {
  try {
    const opened: unknown = JSON.parse(keys.open(['secret', owner, id, origin], sealed).toString());
    const [from, upstream] = [origin.slice(0, origin.indexOf(' ')), origin.slice(origin.indexOf(' ') + 1)];
    if (isObject(opened) && (from === 'upstream' || from === 'caller'))
      return { value: String(opened['value']), kind: String(opened['kind']), from, upstream };
  } catch (error) {
    throw toDamaged(READ, error);
  }
  throw toDamaged(READ, undefined);
}
