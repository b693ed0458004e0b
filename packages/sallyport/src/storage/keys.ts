import { createHash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { FaultError } from '../core/errors.ts';
import type { ApiKey, KeyDirectory } from '../core/key-directory.ts';
import type { Log } from '../core/log.ts';
import type { Attributes } from '../core/principal.ts';
import type { Database } from './database.ts';
import type { ApiKeyTable } from './tables.ts';

export interface NewKey {
  readonly name: string;
  readonly person?: string | undefined;
  readonly account?: string | undefined;
  readonly groups: readonly string[];
  readonly scopes?: readonly string[] | undefined;
  readonly attributes: Attributes;
  readonly expiresAt?: number | undefined;
}

/** All are kept in memory by whoever answers requests. */
const MAX_KEYS = 100_000;

/**
 * Makes a key: `sp_` and 256 random bits. It is returned once; only its digest is kept, and nobody guesses 256 bits, so
 * the digest needs no salt and no slow hash.
 * @throws FaultError `usage` when there is a key of this name.
 */
export async function createKey(
  database: Database,
  key: NewKey,
  now: number,
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const secret = `sp_${randomBytes(32).toString('base64url')}`;
  const { name, person, account, groups, scopes, attributes, expiresAt } = key;
  const row = {
    id: randomBytes(8).toString('hex'),
    name,
    digest: createHash('sha256').update(secret).digest('hex'),
    facts: JSON.stringify({ person, account, groups, scopes, attributes }),
    created_at: now,
    expires_at: expiresAt ?? null,
    revoked_at: null,
    last_used_at: null,
  };
  await database.transaction().execute(async (change) => {
    const { count } = await change
      .selectFrom('api_key')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_KEYS) throw new FaultError('usage', `There are ${MAX_KEYS} keys already.`);
    const taken = await change.selectFrom('api_key').select('id').where('name', '=', name).executeTakeFirst();
    if (taken !== undefined) throw new FaultError('usage', `There is a key "${name}" already. Choose another name.`);
    await change
      .insertInto('api_key')
      .values({ ...row, version: nextVersion() })
      .execute();
  });
  return { key: toKey({ ...row, version: 0 }), secret };
}

/** In the order they were made, revoked and expired ones included. */
export async function listKeys(database: Database): Promise<readonly ApiKey[]> {
  const rows = await database.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(toKey);
}

/** @param named its id or its name @throws FaultError `not_found`. */
export async function findKey(database: Database, named: string): Promise<ApiKey> {
  const rows = await database
    .selectFrom('api_key')
    .selectAll()
    .where((where) => where.or([where('id', '=', named), where('name', '=', named)]))
    .execute();
  // One key may have the id of another for a name: the id means more.
  const found = rows.find(({ id }) => id === named) ?? rows[0];
  if (found === undefined)
    throw new FaultError('not_found', `There is no key "${named}". "sallyport key list" has them.`);
  return toKey(found);
}

/**
 * Ends a key for good. Revoking it again changes nothing.
 * @param named its id or its name
 * @throws FaultError `not_found`.
 */
export async function revokeKey(database: Database, named: string, now: number): Promise<ApiKey> {
  const found = await findKey(database, named);
  await database
    .updateTable('api_key')
    .set({ revoked_at: now, version: nextVersion() })
    .where('id', '=', found.id)
    .where('revoked_at', 'is', null)
    .execute();
  return findKey(database, found.id);
}

/** One more than the highest: whoever looks at the highest sees that something changed. */
function nextVersion() {
  return sql<number>`(select coalesce(max(version), 0) + 1 from api_key)`;
}

function toKey(row: Selectable<ApiKeyTable>): ApiKey {
  const facts = JSON.parse(row.facts) as Partial<NewKey>; // Written by createKey only.
  return {
    id: row.id,
    name: row.name,
    person: facts.person,
    account: facts.account,
    groups: facts.groups ?? [],
    scopes: facts.scopes,
    attributes: facts.attributes ?? {},
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
    lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
  };
}

/** A key revoked by another process is refused within this and the time of a query. Milliseconds. */
const LOOK_MS = 400;
/** Unable to look for this long, nobody can tell any more which keys were revoked. Milliseconds. */
const BLIND_MS = 5_000;
const USED_MS = 60_000;

/** Keys in memory, kept up to date by looking for a new version; `close` writes down when they were last used. */
export async function openKeyDirectory(
  database: Database,
  log: Log,
): Promise<KeyDirectory & { close(): Promise<void> }> {
  let keys = new Map<string, ApiKey>();
  let version = 0;
  let seen: number | undefined;
  let seenAt = performance.now();
  let looking: Promise<void> | undefined;
  let told = false;
  /** Id -> when it was used, not written yet; and when that was written last. */
  const used = new Map<string, number>();
  let writtenAt = performance.now();

  const load = async () => {
    const latest = await database
      .selectFrom('api_key')
      .select((select) => select.fn.max('version').as('version'))
      .executeTakeFirst();
    const now = Number(latest?.version ?? 0);
    if (now !== seen) {
      const rows = await database.selectFrom('api_key').selectAll().where('revoked_at', 'is', null).execute();
      keys = new Map(rows.map((row) => [row.digest, toKey(row)]));
      seen = now;
      version++;
    }
    seenAt = performance.now();
  };
  const writeUsed = async () => {
    writtenAt = performance.now();
    for (const [id, at] of [...used]) {
      used.delete(id);
      await database.updateTable('api_key').set({ last_used_at: at }).where('id', '=', id).execute();
    }
  };
  const look = () => {
    looking ??= load()
      .then(() => (used.size > 0 && performance.now() - writtenAt >= USED_MS ? writeUsed() : undefined))
      .then(
        () => {
          told = false;
        },
        (error: unknown) => {
          if (!told) log.error({ error }, 'the keys cannot be read from the database');
          told = true;
        },
      )
      .finally(() => {
        looking = undefined;
      });
  };
  await load();
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  let closing: Promise<void> | undefined;
  return {
    get version() {
      // Nothing concluded before counts while the directory is blind.
      return performance.now() - seenAt > BLIND_MS ? -1 : version;
    },
    find(digest) {
      if (performance.now() - seenAt > BLIND_MS)
        throw new FaultError('overloaded', 'The keys cannot be read at the moment. Try again in a few seconds.');
      return keys.get(digest);
    },
    used(id, now) {
      used.set(id, now);
    },
    close() {
      closing ??= (async () => {
        clearInterval(timer);
        await looking;
        await writeUsed().catch((error: unknown) =>
          log.warn({ error }, 'when keys were used last could not be written'),
        );
      })();
      return closing;
    },
  };
}
