import { join } from 'node:path';
import type { JsonObject } from '../core/json.ts';
import type { ApiKey } from '../core/key-directory.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import type { Input } from './command.ts';
import { findStateDir } from './config-file.ts';

/** The keys of the state directory, whether or not a Sallyport runs on it; one that runs sees changes within a second. */
export async function withKeys<T>(input: Input, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(join(findStateDir(input.terminal), 'sallyport.db'));
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/** All that may be shown of a key. */
export function describeKey(key: ApiKey, now: number): JsonObject {
  return {
    id: key.id,
    name: key.name,
    state: stateOf(key, now),
    person: key.person ?? null,
    account: key.account ?? null,
    groups: [...key.groups],
    scopes: key.scopes === undefined ? null : [...key.scopes],
    attributes: key.attributes,
    createdAt: toTime(key.createdAt),
    expiresAt: toTime(key.expiresAt),
    revokedAt: toTime(key.revokedAt),
    lastUsedAt: toTime(key.lastUsedAt),
  };
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && now >= expiresAt ? 'expired' : 'active';
}

function toTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
