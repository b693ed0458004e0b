import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Kysely, type Migration, Migrator, SqliteDialect } from 'kysely';
import { FaultError } from '../core/errors.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Tables } from './tables.ts';

/** What outlives a request: one SQLite file in the state directory. Every aggregate has a file of its own in this folder. */
export type Database = Kysely<Tables>;

/**
 * Opens the file, brings it up to date, and checks that it can be written.
 * Every commit is on disk when it returns (`synchronous=FULL`): approvals and grants must not be lost or come back.
 * @param file path, or `:memory:`
 * @throws FaultError `config` naming the file and the fix.
 */
export async function openDatabase(file: string): Promise<Database> {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const sqlite = new DatabaseSync(file);
    // The folder may be older and open to others; the files of the log take their mode from this one.
    if (file !== ':memory:') chmodSync(file, 0o600);
    sqlite.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000');
    const database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: toDriver(sqlite) }) });
    const provider = { getMigrations: () => Promise.resolve({ ...MIGRATIONS } as Record<string, Migration>) };
    const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
    if (error !== undefined) throw error;
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FaultError(
      'config',
      `Opening the database ${file} failed (${reason}). Make its folder writable, or choose another with SALLYPORT_STATE.`,
      { cause: error },
    );
  }
}

/** Kysely speaks better-sqlite3; the library speaks node:sqlite. */
function toDriver(sqlite: DatabaseSyncInstance) {
  return {
    close: () => sqlite.close(),
    prepare(sql: string) {
      const statement = sqlite.prepare(sql);
      const values = (parameters: readonly unknown[]) => parameters as never[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...values(parameters)) as unknown[],
        run: (parameters: readonly unknown[]) => statement.run(...values(parameters)),
        iterate: (parameters: readonly unknown[]) =>
          statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
  };
}
