import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { TokenSlot, TokenVault } from '../core/upstream-tokens.ts';
import type { Database } from './database.ts';

export interface TokenVaultOptions {
  readonly database: () => Promise<Database>;
  /** The text the key is made of; asked for once, at first use. */
  readonly readKey: () => Promise<string>;
  readonly clock: Clock;
}

const MIN_KEY_CHARACTERS = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Secrets in the database, sealed with AES-256-GCM; the slot is authenticated with them, so that no row can stand in for another. */
export function createTokenVault(options: TokenVaultOptions): TokenVault {
  let key: Promise<SealKey> | undefined;
  const loadKey = () => {
    key ??= options.readKey().then(toKey);
    // A key that could not be read now may be there at the next try.
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
  return {
    async get(slot) {
      const database = await options.database();
      const row = await at(database.selectFrom('upstream_tokens').selectAll(), slot).executeTakeFirst();
      if (row === undefined) return undefined;
      return { value: open(await loadKey(), slot, row), version: row.version };
    },
    async put(slot, value, version) {
      const database = await options.database();
      const { id: key_id, ...sealKey } = await loadKey();
      const sealed = seal(sealKey.bytes, slot, value);
      if (version !== 0) {
        let update = at(database.updateTable('upstream_tokens'), slot).set((row) => ({
          sealed,
          key_id,
          claimed_until: 0,
          version: row('version', '+', 1),
        }));
        if (version !== undefined) update = update.where('version', '=', version);
        const { numUpdatedRows } = await update.executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n || version !== undefined) return numUpdatedRows > 0n;
      }
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('upstream_tokens')
        .values({ ...toRow(slot), sealed, key_id, claimed_until: 0, version: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async claim(slot, version, milliseconds) {
      const database = await options.database();
      const now = options.clock.now();
      const { numUpdatedRows } = await at(database.updateTable('upstream_tokens'), slot)
        .set({ claimed_until: now + milliseconds })
        .where('version', '=', version)
        .where('claimed_until', '<=', now)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async release(slot, version) {
      const database = await options.database();
      await at(database.updateTable('upstream_tokens'), slot)
        .set({ claimed_until: 0 })
        .where('version', '=', version)
        .execute();
    },
    async remove({ kind, upstream, owner, place }) {
      const database = await options.database();
      let removal = database
        .deleteFrom('upstream_tokens')
        .where('kind', '=', kind)
        .where('upstream', '=', upstream)
        .where('owner', '=', owner);
      if (place !== undefined) removal = removal.where('place', '=', place);
      const { numDeletedRows } = await removal.executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

interface Selective<Q> {
  where(column: 'kind' | 'upstream' | 'place' | 'owner', operator: '=', value: string): Q;
}

/** The row of one slot. */
function at<Q extends Selective<Q>>(query: Q, slot: TokenSlot): Q {
  return query
    .where('kind', '=', slot.kind)
    .where('upstream', '=', slot.upstream)
    .where('place', '=', slot.place)
    .where('owner', '=', slot.owner);
}

function toRow({ kind, upstream, place, owner }: TokenSlot) {
  return { kind, upstream, place, owner };
}

interface SealKey {
  readonly bytes: Buffer;
  readonly id: string;
}

function toKey(text: string): SealKey {
  if (text.length < MIN_KEY_CHARACTERS)
    throw new FaultError(
      'config',
      `The key for upstream tokens is shorter than ${MIN_KEY_CHARACTERS} characters. Make one with "openssl rand -hex 32".`,
    );
  const bytes = Buffer.from(hkdfSync('sha256', text, '', 'sallyport upstream tokens 1', 32));
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
}

function toContext({ kind, upstream, place, owner }: TokenSlot): Buffer {
  return Buffer.from(JSON.stringify([kind, upstream, place, owner]));
}

function seal(key: Buffer, slot: TokenSlot, value: JsonObject): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(toContext(slot));
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

function open(key: SealKey, slot: TokenSlot, row: { readonly sealed: string; readonly key_id: string }): JsonObject {
  if (row.key_id !== key.id)
    throw new FaultError('config', `${nameOf(slot)} were sealed with another key.`, {
      remedy: `Bring that key back, or ${toRemedy(slot)}`,
    });
  try {
    const bytes = Buffer.from(row.sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(toContext(slot)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const body = bytes.subarray(IV_BYTES + TAG_BYTES);
    const value: unknown = JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Falls through: what exactly is wrong with a forged row is no one's business.
  }
  throw new FaultError('config', `${nameOf(slot)} are damaged.`, { remedy: `To repair that, ${toRemedy(slot)}` });
}

function nameOf({ kind, upstream, place }: TokenSlot): string {
  return kind === 'identity' ? `The tokens of the identity provider ${place}` : `The tokens for "${upstream}"`;
}

function toRemedy({ kind, upstream }: TokenSlot): string {
  return kind === 'identity'
    ? 'run "sallyport login" for a server behind it.'
    : `run "sallyport logout ${upstream}" and sign in again.`;
}
