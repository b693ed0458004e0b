import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditIndex, IndexedRecord, IndexedSegment } from '../../core/audit-index.ts';
import { type PlacedLine, readLines } from './read-lines.ts';
import { listChains, listSegments } from './segments.ts';
import { toIndexed } from './to-indexed.ts';

/** Records in one transaction: some 5 ms, in which the process does nothing else. */
const BATCH = 200;

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
 * what was read of them, or belong to another folder leave it; what two processes do at once is done by one of them.
 */
export async function indexSegments(
  index: AuditIndex,
  directory: string,
  signal?: AbortSignal,
): Promise<IndexProgress> {
  const onDisk = await findSegments(directory);
  const known = await dropStale(index, directory, onDisk);
  let records = 0;
  for (const { chain, name, bytes } of onDisk) {
    const before = known.get(`${chain}/${name}`);
    if (before !== undefined && before.bytes >= bytes) continue;
    const segment = before ?? (await index.add({ directory, chain, name }));
    records += await indexRest(index, segment, signal);
  }
  return { records, segments: onDisk.length };
}

/** Rows were lost or put in by somebody: the segments they belong to are read anew by the next `indexSegments`. */
export async function dropMiscounted(index: AuditIndex): Promise<void> {
  const wrong: IndexedSegment[] = [];
  for (const segment of await index.segments()) {
    if ((await index.count(segment)) !== segment.records) wrong.push(segment);
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

async function dropStale(
  index: AuditIndex,
  directory: string,
  onDisk: readonly SegmentOnDisk[],
): Promise<Map<string, IndexedSegment>> {
  const sizes = new Map(onDisk.map(({ chain, name, bytes }) => [`${chain}/${name}`, bytes]));
  const segments = await index.segments();
  const isStale = (one: IndexedSegment): boolean =>
    one.directory !== directory || one.bytes < 0 || one.bytes > (sizes.get(`${one.chain}/${one.name}`) ?? -1);
  await index.forget(segments.filter(isStale));
  return new Map(segments.filter((one) => !isStale(one)).map((one) => [`${one.chain}/${one.name}`, one]));
}

async function indexRest(index: AuditIndex, from: IndexedSegment, signal: AbortSignal | undefined): Promise<number> {
  let segment = from;
  let records = 0;
  for await (const lines of readLines(join(from.directory, from.chain, from.name), from.bytes)) {
    for (let at = 0; at < lines.length; at += BATCH) {
      signal?.throwIfAborted();
      const batch = lines.slice(at, at + BATCH);
      const rows = batch.flatMap(toRows);
      const after = await index.put(segment, endOf(batch), rows);
      if (after === undefined) return records;
      segment = after;
      records += rows.length;
      await nextTurn();
    }
  }
  return records;
}

function toRows({ line, offset, bytes }: PlacedLine): IndexedRecord[] {
  const row = toIndexed(line, { offset, bytes });
  return row === undefined ? [] : [row];
}

function endOf(lines: readonly PlacedLine[]): number {
  const last = lines.at(-1);
  return last === undefined ? 0 : last.offset + last.bytes + 1;
}
