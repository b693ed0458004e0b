import { statfsSync } from 'node:fs';

const SQLITE_FULL = /database or disk is full/;
/** SQLite says so when the file it shares with other processes cannot grow. */
const SQLITE_IO = /disk I\/O error/;
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** What a person does about a file in `folder` that cannot be written. @param otherwise when the disk has room */
export function toDiskFix(error: unknown, folder: string, otherwise: string): string {
  return isDiskFull(error, folder)
    ? `The disk is full: make room on the disk of ${folder}, then start again.`
    : otherwise;
}

export function isDiskFull(error: unknown, folder: string): boolean {
  if (!(error instanceof Error)) return false;
  if (('code' in error && CODES.has(error.code)) || SQLITE_FULL.test(error.message)) return true;
  return SQLITE_IO.test(error.message) && hasNoRoom(folder);
}

function hasNoRoom(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    return false;
  }
}
