import { setImmediate as nextTurn } from 'node:timers/promises';
import { readRecords } from './read-records.ts';
import { CSV_HEADING, toCsvLine } from './to-csv.ts';

export interface ExportOptions {
  /** `jsonl`: the lines as they stand; `chained`: with the chain as a further member; `csv`: one column per member. */
  readonly format: 'jsonl' | 'chained' | 'csv';
  /** ISO times, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Characters that are sent together. */
const PIECE = 65_536;
/** Records between two pauses: a Sallyport that exports answers calls meanwhile. */
const AT_ONCE = 500;

/** Every record as text, piece by piece: JSON lines as they stand in the segments, or CSV. */
export async function* exportRecords(
  directory: string,
  { format, since, until, signal }: ExportOptions,
): AsyncGenerator<string> {
  let read = 0;
  let piece = format === 'csv' ? CSV_HEADING : '';
  for await (const { chain, line, value } of readRecords(directory, signal)) {
    if (++read % AT_ONCE === 0) await nextTurn();
    const time = String(value['time']);
    if ((since !== undefined && time < since) || (until !== undefined && time > until)) continue;
    if (format === 'csv') piece += toCsvLine(chain, value);
    else piece += format === 'jsonl' ? `${line}\n` : `${JSON.stringify({ chain, ...value })}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
