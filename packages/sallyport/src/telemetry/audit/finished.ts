import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readPlace, readPrev } from './record-line.ts';
import { scanSegment } from './recover.ts';

/** Finished segments that are watched for changes; of the others only the names are. */
const WATCHED = 4;

/**
 * What somebody did to the finished segments of a chain, in words; `undefined`: nothing. A file that was touched and
 * still holds what it held is believed again, so that a backup that is put back mends what was wrong.
 * @param finished name -> {@link stampOf}; brought up to date
 */
export function findChanged(
  folder: string,
  finished: Map<string, string>,
  current: string | undefined,
): string | undefined {
  if (finished.size === 0) return undefined;
  const there = new Set(readdirSync(folder));
  const names = [...finished.keys()];
  const removed = names.find((name) => !there.has(name));
  if (removed !== undefined) return `${join(folder, removed)} was removed`;
  for (const name of names.slice(-WATCHED)) {
    const stamp = stampOf(join(folder, name));
    if (stamp === finished.get(name)) continue;
    const next = names[names.indexOf(name) + 1] ?? (current === undefined ? undefined : basename(current));
    if (!isWhole(folder, name, next)) return `${join(folder, name)} was changed`;
    finished.set(name, stamp);
  }
  return undefined;
}

/** Identity, size and time of change of a file. */
export function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.ctimeMs}`;
}

/** Whether a segment holds records that follow each other, up to the one that the next segment begins after. */
export function isWhole(folder: string, name: string, next: string | undefined): boolean {
  const bytes = readFileSync(join(folder, name));
  const scanned = scanSegment(name, bytes);
  if (scanned.good !== bytes.length) return false;
  if (next === undefined) return true;
  const after = readFileSync(join(folder, next));
  const place = readPlace(after, 0);
  return place === undefined || readPrev(after, place) === scanned.hash;
}
