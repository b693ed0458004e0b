import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { FaultError } from '../core/errors.ts';
import type { FileLock } from '../core/file-lock.ts';
import { toDiskFix } from './disk-full.ts';
import { isBusy } from './sqlite-driver.ts';

const OTHERWISE = 'Make its folder writable, on a file system with locks, or choose another with SALLYPORT_STATE.';

/** A handle that nobody refers to is closed by the garbage collector, and its lock goes with it. */
const held = new Set<DatabaseSyncInstance>();

/**
 * The lock SQLite takes before it writes, on a database that nobody ever writes: the kernel holds it for the process. A
 * process id would mean another process in every container. Node itself has no locks on files.
 * The reserved lock, because of two that begin at once one gets it: for the exclusive one they could get in each other's way.
 */
export function takeFileLock(file: string): FileLock | undefined {
  let database: DatabaseSyncInstance | undefined;
  const release = (): void => {
    if (database === undefined || !database.isOpen) return;
    held.delete(database);
    database.close();
  };
  try {
    database = new DatabaseSync(file);
    database.exec('PRAGMA busy_timeout=0; BEGIN IMMEDIATE');
    held.add(database);
    return { release };
  } catch (error) {
    release();
    if (isBusy(error)) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FaultError(
      'config',
      `Locking ${file} failed (${reason}). ${toDiskFix(error, dirname(file), OTHERWISE)}`,
      { cause: error },
    );
  }
}
