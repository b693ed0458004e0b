import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toMissing } from './find-damage.ts';
import { GENESIS, hashLine, readPlace, readPrev } from './record-line.ts';
import { firstSeqOf, listSegments } from './segments.ts';

/** Where a chain goes on. */
export interface ChainTail {
  readonly seq: number;
  /** Of the record `seq`. */
  readonly hash: string;
  /** The segment that may be continued; `undefined`: a new one is begun. */
  readonly segment: { readonly name: string; readonly bytes: number } | undefined;
  readonly segments: readonly string[];
  /** What was cut off the end of the last segment: half a record of a program that was killed. */
  readonly torn: { readonly segment: string; readonly bytes: number; readonly kept: string } | undefined;
  /** What is wrong beyond that; it is left as it is, for `audit verify` to name. */
  readonly damage: string | undefined;
}

/** The last state a seal vouches for. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Finds where a chain ends. Only half a record at the very end is cut off (and kept beside the segment): a power cut or
 * a kill leaves that. Anything else that is wrong was done by somebody, and evidence is not repaired.
 */
export async function recoverChain(folder: string, head: Head | undefined, now: number): Promise<ChainTail> {
  const segments = await listSegments(folder);
  let found: ScannedSegment | undefined;
  let torn: ChainTail['torn'];
  let damage: string | undefined;
  for (let i = segments.length - 1; i >= 0 && (found === undefined || found.seq === 0); i--) {
    const name = segments[i] ?? '';
    const bytes = await readFile(join(folder, name));
    found = scanSegment(name, bytes);
    if (found.good === bytes.length) continue;
    if (i === segments.length - 1 && !holdsRecord(bytes, found.good)) torn = await cut(folder, found, { bytes, now });
    else damage = `${name} has something after record ${found.seq} that does not follow it`;
  }
  const last = segments.at(-1);
  const tail = { seq: found?.seq ?? 0, hash: found?.hash ?? GENESIS };
  const behind = head !== undefined && head.seq > tail.seq;
  if (behind) damage ??= toMissing(tail.seq, head.seq);
  const goesOn = damage === undefined && last !== undefined;
  return {
    seq: behind ? head.seq : tail.seq,
    hash: behind ? head.hash : tail.hash,
    segment: goesOn ? { name: last, bytes: found?.name === last ? found.good : 0 } : undefined,
    segments,
    torn,
    damage,
  };
}

export interface ScannedSegment {
  readonly name: string;
  /** Of the last good record; 0: there is none. */
  readonly seq: number;
  readonly hash: string;
  /** Bytes up to the end of the last good record. */
  readonly good: number;
}

/** The records of one segment that follow each other, from its first one on. */
export function scanSegment(name: string, bytes: Buffer): ScannedSegment {
  const { last, good } = followChain(bytes, { seq: firstSeqOf(name) - 1, hash: undefined });
  return { name, ...(good === 0 ? { seq: 0, hash: GENESIS } : last), good };
}

/** A place in a chain; the hash is `undefined` where it is not known what the record before it was. */
export type Place = Omit<Head, 'hash'> & { readonly hash: string | undefined };

/** The whole records from the first byte on that follow `after` and each other: the last of them, and where it ends. */
export function followChain(bytes: Buffer, after: Place): { readonly last: Head; readonly good: number } {
  let good = 0;
  let { seq, hash } = after;
  for (let place = readPlace(bytes, 0); place !== undefined; place = readPlace(bytes, good)) {
    if (place.seq !== seq + 1 || (hash !== undefined && readPrev(bytes, place) !== hash)) break;
    hash = hashLine(bytes.subarray(place.start, place.end));
    seq = place.seq;
    good = place.end + 1;
  }
  return { last: { seq, hash: hash ?? GENESIS }, good };
}

function holdsRecord(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; ) {
    if (readPlace(bytes, at) !== undefined) return true;
    const next = bytes.indexOf(0x0a, at);
    if (next < 0) return false;
    at = next + 1;
  }
  return false;
}

async function cut(
  folder: string,
  { name, good }: ScannedSegment,
  { bytes, now }: { readonly bytes: Buffer; readonly now: number },
): Promise<ChainTail['torn']> {
  const kept = `${name}.torn-${now}`;
  await writeFile(join(folder, kept), bytes.subarray(good), { mode: 0o600 });
  await truncate(join(folder, name), good);
  return { segment: name, bytes: bytes.length - good, kept };
}
