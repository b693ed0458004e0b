import { join } from 'node:path';
import type { AuditFilter, AuditIndex, FoundRecord, IndexedRecord } from '../../core/audit-index.ts';
import { FaultError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { dropMiscounted, type IndexProgress, indexSegments } from './index-segments.ts';
import { readPiece } from './read-lines.ts';
import { toCall } from './to-call.ts';
import { readRecord, toIndexed } from './to-indexed.ts';

export interface AuditReaderPorts {
  /** Of the whole audit; absolute. */
  readonly directory: string;
  readonly index: AuditIndex;
}

/** A record with the place it stands at. */
export interface PlacedRecord {
  readonly chain: string;
  readonly segment: string;
  readonly offset: number;
  readonly record: JsonObject;
}

export interface CallPage {
  /** The newest first. */
  readonly items: readonly JsonObject[];
  readonly next: string | undefined;
}

/**
 * Finds records by the index and reads them from the segments, which alone are believed: where the two disagree, the
 * index is made anew. It is brought up to date by whoever asks, behind the writer, never by a call.
 */
export interface AuditReader {
  /** @throws FaultError `overloaded`: the index is being built and will be there later; `usage`. */
  search(filter: AuditFilter, limit: number, cursor?: string): Promise<CallPage>;
  /** Every record of one call. */
  recordsOf(callId: string): Promise<readonly PlacedRecord[]>;
  /** Forgets the index and makes it anew, however long it takes. */
  rebuild(signal?: AbortSignal): Promise<IndexProgress>;
}

/** Nobody waits longer for the index; it goes on being built. Milliseconds. */
const PATIENCE_MS = 30_000;

export function createAuditReader({ directory, index }: AuditReaderPorts): AuditReader {
  let running: Promise<IndexProgress> | undefined;
  let counted = false;

  const catchUp = (): Promise<IndexProgress> => {
    running ??= (async () => {
      if (!counted) await dropMiscounted(index);
      counted = true;
      return indexSegments(index, directory);
    })().finally(() => {
      running = undefined;
    });
    return running;
  };

  const rebuild = async (signal?: AbortSignal): Promise<IndexProgress> => {
    await running?.catch(() => undefined);
    running = index
      .segments()
      .then((segments) => index.forget(segments))
      .then(() => indexSegments(index, directory, { signal }))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  /** Twice at most: what is wrong with an index that was just made is wrong with the segments. */
  const consult = async <T>(look: () => Promise<T>): Promise<T> => {
    await inTime(catchUp());
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof StaleIndex)) throw error;
      await inTime(rebuild());
      return look();
    }
  };

  const readAll = async (found: readonly FoundRecord[]): Promise<PlacedRecord[]> => {
    const placed: PlacedRecord[] = [];
    for (const row of found) placed.push(await readPlaced(directory, row));
    return placed;
  };

  const search = async (filter: AuditFilter, limit: number, cursor?: string): Promise<CallPage> => {
    const { records, next } = await index.find(filter, limit, cursor);
    const admitted = records.flatMap(({ kind, callId }) => (kind === 'outcome' && callId !== null ? [callId] : []));
    const before = await index.recordsOf(admitted);
    const admissions = new Map<string, FoundRecord>();
    for (const row of before) if (row.kind === 'admitted' && row.callId !== null) admissions.set(row.callId, row);
    const items: JsonObject[] = [];
    for (const row of records) {
      const { record } = await readPlaced(directory, row);
      const admission = row.kind === 'outcome' ? admissions.get(row.callId ?? '') : undefined;
      const begun = admission === undefined ? undefined : (await readPlaced(directory, admission)).record;
      items.push({ ...toCall(begun, record), chain: row.chain, seq: row.seq });
    }
    return { items, next };
  };

  return {
    search: (filter, limit, cursor) => consult(() => search(filter, limit, cursor)),
    recordsOf: (callId) => consult(async () => readAll(await index.recordsOf([callId]))),
    rebuild,
  };
}

/** The index says something the segments do not. */
class StaleIndex extends Error {}

async function readPlaced(directory: string, row: FoundRecord): Promise<PlacedRecord> {
  const { chain, segment, offset, bytes } = row;
  const line = await readPiece(join(directory, chain, segment), offset, bytes);
  const record = line === undefined ? undefined : readRecord(line);
  const said = line === undefined ? undefined : toIndexed(line, { offset, bytes });
  if (record === undefined || said === undefined) throw new StaleIndex();
  for (const key of COMPARED) if (said[key] !== row[key]) throw new StaleIndex();
  if (row.kind !== 'admitted' && said.outcome !== row.outcome) throw new StaleIndex();
  return { chain, segment, offset, record };
}

/** Not the outcome of an admission: that is what the index knows of later records. */
const COMPARED: readonly (keyof IndexedRecord)[] = [
  ...(['seq', 'time', 'kind', 'callId', 'principal', 'person', 'agent'] as const),
  ...(['account', 'upstream', 'tool', 'guard', 'words'] as const),
];

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new FaultError('overloaded', 'The index of the audit is being built. Ask again in a minute.')),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
