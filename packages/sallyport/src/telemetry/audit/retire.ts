import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isWhole } from './finished.ts';
import { type LinePlace, readPlace, readPrev, readTime } from './record-line.ts';
import { listSegments } from './segments.ts';

const DAY_MS = 86_400_000;
/** Longer than the beginning of any record. Bytes. */
const BEGINNING = 65_536;

/** Finished segments whose time has come, and the record that the first one that stays follows. */
export interface Retired {
  readonly names: readonly string[];
  readonly upTo: number;
  readonly hash: string;
}

/**
 * The oldest segments of a chain that were written last before `keepDays`; the last one always stays. So does one that was
 * bent, and all after it: evidence is not deleted.
 */
export async function findRetired(folder: string, keepDays: number, now: number): Promise<Retired | undefined> {
  if (keepDays === 0) return undefined;
  const names = await listSegments(folder);
  const limit = now - keepDays * DAY_MS;
  let count = 0;
  while (count < names.length - 1 && (await isDue(folder, names.slice(count), limit))) count++;
  const next = names[count];
  if (count === 0 || next === undefined) return undefined;
  const begun = await readBeginning(join(folder, next));
  if (begun === undefined) return undefined;
  return { names: names.slice(0, count), upTo: begun.place.seq - 1, hash: readPrev(begun.bytes, begun.place) };
}

/** Is the first of these? The time of a file is anybody's to set: what it holds must be old, too, and as it was written. */
async function isDue(folder: string, [name = '', next]: readonly string[], limit: number): Promise<boolean> {
  const { size, mtimeMs } = await stat(join(folder, name));
  if (mtimeMs > limit) return false;
  if (size === 0) return true;
  const begun = await readBeginning(join(folder, name));
  return begun !== undefined && readTime(begun.bytes, begun.place) <= limit && isWhole(folder, name, next);
}

async function readBeginning(path: string): Promise<{ readonly bytes: Buffer; readonly place: LinePlace } | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const place = readPlace(bytes, 0);
    return place === undefined ? undefined : { bytes, place };
  } finally {
    await file.close();
  }
}
