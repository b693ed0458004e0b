import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlace, readPrev } from './record-line.ts';
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

/** The oldest segments of a chain that were written last before `keepDays`; the last one always stays. */
export async function findRetired(folder: string, keepDays: number, now: number): Promise<Retired | undefined> {
  if (keepDays === 0) return undefined;
  const names = await listSegments(folder);
  let count = 0;
  for (const name of names.slice(0, -1)) {
    if ((await stat(join(folder, name))).mtimeMs > now - keepDays * DAY_MS) break;
    count++;
  }
  const next = names[count];
  if (count === 0 || next === undefined) return undefined;
  const file = await open(join(folder, next), 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const place = readPlace(bytes, 0);
    if (place === undefined) return undefined;
    return { names: names.slice(0, count), upTo: place.seq - 1, hash: readPrev(bytes, place) };
  } finally {
    await file.close();
  }
}
