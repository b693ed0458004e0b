import { readRecords } from './read-records.ts';
import { CSV_HEADING, toCsvLine } from './to-csv.ts';

export interface ExportOptions {
  readonly format: 'jsonl' | 'csv';
  /** ISO times, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Characters that are sent together. */
const PIECE = 65_536;

/** Every record as text, piece by piece: JSON lines as they stand in the segments, or CSV. */
export async function* exportRecords(
  directory: string,
  { format, since, until, signal }: ExportOptions,
): AsyncGenerator<string> {
  let piece = format === 'csv' ? CSV_HEADING : '';
  for await (const { chain, line, value } of readRecords(directory, signal)) {
    const time = String(value['time']);
    if ((since !== undefined && time < since) || (until !== undefined && time > until)) continue;
    piece += format === 'csv' ? toCsvLine(chain, value) : `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
