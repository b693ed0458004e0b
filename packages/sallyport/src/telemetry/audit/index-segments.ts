import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditIndex, IndexedRecord, IndexedSegment } from '../../core/audit-index.ts';
import { type PlacedLine, readLines } from './read-lines.ts';
import { listChains, listSegments } from './segments.ts';
import { toIndexed } from './to-indexed.ts';

/** Records in one transaction: some 5 ms, in which the process does nothing else. */
const BATCH = 200;

export interface IndexingOptions {
  readonly signal?: AbortSignal | undefined;
  /** After each transaction. Left out: the event loop turns once. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Nothing leaves the index: another Sallyport may keep that of another folder in it. */
  readonly addsOnly?: boolean | undefined;
}

export interface IndexProgress {
  /** Records that were put in. */
  readonly records: number;
  readonly segments: number;
}

interface SegmentOnDisk {
  readonly chain: string;
  readonly name: string;
  readonly bytes: number;
}

/**
 * Brings the index up to what stands in the segments, from where it stopped. Segments that are gone, are shorter than
 * what was read of them, or belong to another folder leave it. Two may do it at once: each piece is put in by one of them, and
 * both end when all of it is.
 */
export async function indexSegments(
  index: AuditIndex,
  directory: string,
  options: IndexingOptions = {},
): Promise<IndexProgress> {
  const onDisk = await findSegments(directory);
  const known = await findKnown(index, directory, { onDisk, addsOnly: options.addsOnly === true });
  let records = 0;
  for (const { chain, name, bytes } of onDisk) {
    const before = known.get(`${chain}/${name}`);
    if (before !== undefined && (before.bytes >= bytes || before.bytes < 0)) continue;
    const segment = before ?? (await index.add({ directory, chain, name }));
    records += await indexRest(index, segment, options);
  }
  return { records, segments: onDisk.length };
}

/** Rows were lost or put in by somebody: the segments they belong to are read anew by the next `indexSegments`. */
export async function dropMiscounted(index: AuditIndex): Promise<void> {
  const wrong: IndexedSegment[] = [];
  for (const segment of await index.segments()) {
    const count = await index.count(segment);
    // One that grew meanwhile is being indexed by somebody.
    if (count !== segment.records && (await findAgain(index, segment))?.bytes === segment.bytes) wrong.push(segment);
    await nextTurn();
  }
  await index.forget(wrong);
}

async function findSegments(directory: string): Promise<SegmentOnDisk[]> {
  const found: SegmentOnDisk[] = [];
  for (const chain of await listChains(directory))
    for (const name of await listSegments(join(directory, chain))) {
      const size = await sizeOf(join(directory, chain, name));
      if (size !== undefined) found.push({ chain, name, bytes: size });
    }
  return found;
}

/** `undefined`: retired since it was listed. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function findKnown(
  index: AuditIndex,
  directory: string,
  { onDisk, addsOnly }: { readonly onDisk: readonly SegmentOnDisk[]; readonly addsOnly: boolean },
): Promise<Map<string, IndexedSegment>> {
  const sizes = new Map(onDisk.map(({ chain, name, bytes }) => [`${chain}/${name}`, bytes]));
  const segments = await index.segments();
  const isStale = (one: IndexedSegment): boolean =>
    one.directory !== directory || one.bytes < 0 || one.bytes > (sizes.get(`${one.chain}/${one.name}`) ?? -1);
  if (!addsOnly) await index.forget(segments.filter(isStale));
  const own = segments.filter((one) => (addsOnly ? one.directory === directory : !isStale(one)));
  return new Map(own.map((one) => [`${one.chain}/${one.name}`, one]));
}

async function indexRest(index: AuditIndex, from: IndexedSegment, options: IndexingOptions): Promise<number> {
  let records = 0;
  for (let segment: IndexedSegment | undefined = from; segment !== undefined; ) {
    const { added, overtaken } = await indexFrom(index, segment, options);
    records += added;
    // Whoever was faster may have been given up since: what is left is done here.
    segment = overtaken ? await findAgain(index, segment) : undefined;
  }
  return records;
}

/** `undefined`: it is being forgotten. */
async function findAgain(index: AuditIndex, { id }: IndexedSegment): Promise<IndexedSegment | undefined> {
  return (await index.segments()).find((one) => one.id === id && one.bytes >= 0);
}

async function indexFrom(index: AuditIndex, from: IndexedSegment, { signal, pause = nextTurn }: IndexingOptions) {
  let segment = from;
  let added = 0;
  for await (const lines of readLines(join(from.directory, from.chain, from.name), from.bytes)) {
    for (let at = 0; at < lines.length; at += BATCH) {
      signal?.throwIfAborted();
      const batch = lines.slice(at, at + BATCH);
      const rows = batch.flatMap(toRows);
      const after = await index.put(segment, endOf(batch), rows);
      if (after === undefined) return { added, overtaken: true };
      segment = after;
      added += rows.length;
      await pause();
    }
  }
  return { added, overtaken: false };
}

function toRows({ line, offset, bytes }: PlacedLine): IndexedRecord[] {
  const row = toIndexed(line, { offset, bytes });
  return row === undefined ? [] : [row];
}

function endOf(lines: readonly PlacedLine[]): number {
  const last = lines.at(-1);
  return last === undefined ? 0 : last.offset + last.bytes + 1;
}
