import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  type Dialect,
  Kysely,
  type Migration,
  Migrator,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { FaultError } from '../core/errors.ts';
import { toDiskFix } from './disk-full.ts';
import { MIGRATIONS } from './migrations.ts';
import { SqliteDriver, type SqliteDriverOptions } from './sqlite-driver.ts';
import type { Tables } from './tables.ts';

/** What outlives a request: one SQLite file in the state directory. Every aggregate has a file of its own in this folder. */
export type Database = Kysely<Tables>;

/** Larger files are not read through at the start: 107 MB took half a second on a busy machine. Bytes. */
const MAX_CHECKED = 32 * 1_048_576;

/**
 * Opens the file, brings it up to date, and checks that it is whole and can be written.
 * Every commit is on disk when it returns (`synchronous=FULL`): approvals and grants must not be lost or come back.
 * @param file path, or `:memory:`
 * A process opens a file once and hands the handle out: two handles of one process wait for each other.
 * @throws FaultError `config` naming the file and the fix, `overloaded` when another process keeps it locked.
 */
export async function openDatabase(file: string, options: SqliteDriverOptions = {}): Promise<Database> {
  let database: Database | undefined;
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const sqlite = new DatabaseSync(file);
    // The folder may be older and open to others; the files of the log take their mode from this one.
    if (file !== ':memory:') chmodSync(file, 0o600);
    database = new Kysely<Tables>({ dialect: toDialect(new SqliteDriver(sqlite, options)) });
    // One by one through the driver: another process may be doing the same to a new file.
    for (const pragma of ['journal_mode=WAL', 'synchronous=FULL', 'foreign_keys=ON'])
      await sql.raw(`pragma ${pragma}`).execute(database);
    if (file !== ':memory:' && statSync(file).size <= MAX_CHECKED) await checkPages(database);
    const provider = { getMigrations: () => Promise.resolve({ ...MIGRATIONS } as Record<string, Migration>) };
    const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
    if (error !== undefined) throw error;
    return database;
  } catch (error) {
    await database?.destroy();
    if (error instanceof FaultError && error.code === 'overloaded') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FaultError('config', `Opening the database ${file} failed (${reason}). ${toFix(reason, file, error)}`, {
      cause: error,
    });
  }
}

/** Damage that is found later stops calls in the middle of the day. */
async function checkPages(database: Database): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(database);
  const found = rows[0]?.quick_check;
  if (found !== 'ok') throw new Error(`database disk image is malformed: ${found?.replaceAll('\n', ' ').trim()}`);
}

function toFix(reason: string, file: string, error: unknown): string {
  if (/malformed|not a database/.test(reason))
    return `The file is damaged: put a backup in its place, or move ${file} away together with ${file}-wal and ${file}-shm. A new one is made then, without the keys, approvals and grants of the old one.`;
  return toDiskFix(error, dirname(file), 'Make its folder writable, or choose another with SALLYPORT_STATE.');
}

function toDialect(driver: SqliteDriver): Dialect {
  // SQLite can: two processes that open a new file at once must not both make its tables.
  const adapter = Object.defineProperty(new SqliteAdapter(), 'supportsTransactionalDdl', { value: true });
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}
