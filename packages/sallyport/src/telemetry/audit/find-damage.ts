import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownChain } from '../../core/audit-heads.ts';
import { readPlace } from './record-line.ts';
import { listSegments } from './segments.ts';

/** Longer than any record. Bytes. */
const END = 1_048_576;
const LINE_FEED = 0x0a;

/**
 * Which of the chains have fewer records on disk than are known of, in words. Only the last record is looked at: a chain
 * of which a part was changed is for `audit verify`.
 */
export async function findShorter(directory: string, known: readonly KnownChain[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { chain, seq } of known) {
    const last = await readLastSeq(join(directory, chain));
    if (last < seq) found.set(chain, toMissing(last, seq));
  }
  return found;
}

export function toMissing(last: number, known: number): string {
  return `the records from ${last + 1} to ${known} are missing`;
}

/** 0: there is no record. */
async function readLastSeq(folder: string): Promise<number> {
  for (const name of (await listSegments(folder)).reverse()) {
    const end = await readEnd(join(folder, name));
    const last = end.lastIndexOf(LINE_FEED);
    if (last < 0) continue;
    const place = readPlace(end, last === 0 ? 0 : end.lastIndexOf(LINE_FEED, last - 1) + 1);
    // What is no record is named by whoever reads all of it.
    if (place !== undefined) return place.seq;
  }
  return 0;
}

async function readEnd(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, END);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
