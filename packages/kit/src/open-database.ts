import { chmodSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** Opens a database that several processes may use at once. @param file `:memory:` for one process */
export function openDatabase(file: string, schema: string): DatabaseSyncInstance {
  const database = new DatabaseSync(file);
  // Arguments and results of calls are in it.
  if (file !== ':memory:') chmodSync(file, 0o600);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; ${schema}`);
  return database;
}
