import { isObject, type Json } from '../core/json.ts';
import { PrintList } from '../guard/taint/print-list.ts';
import type { Remembered, Source } from '../guard/taint/taint-ports.ts';
import type { RowKeys } from './row-keys.ts';

/** One row of a run, as it is kept: who said what, and the prints of all of it behind one another. */
export interface SealedRow {
  readonly sealed: string;
  readonly body: string | undefined;
}

const BYTES = 8;

/** @param context of the run and the number of the row: it opens nowhere else */
export function sealRow(keys: RowKeys, context: readonly string[], what: readonly Remembered[]): SealedRow {
  const entries = what.map(({ source, marks, prints, isPartial }) => ({
    ...(source === undefined ? {} : { source: { ...source } }),
    ...{ marks, prints: prints.size },
    ...(isPartial === true ? { isPartial } : {}),
  }));
  const size = what.reduce((sum, { prints }) => sum + prints.size, 0);
  return {
    sealed: keys.seal([...context, 'facts'], JSON.stringify(entries)),
    body: size === 0 ? undefined : keys.seal([...context, 'prints'], toBytes(what, size)),
  };
}

/**
 * The row as it was; where its prints have made room for others, it says so (`isPartial`).
 * @throws Error for what was not sealed here
 */
export function openRow(keys: RowKeys, context: readonly string[], { sealed, body }: SealedRow): readonly Remembered[] {
  const entries: unknown = JSON.parse(keys.open([...context, 'facts'], sealed).toString());
  const bytes = body === undefined ? undefined : keys.open([...context, 'prints'], body);
  let at = 0;
  return (Array.isArray(entries) ? entries : []).filter(isObject).map((entry) => {
    const size = Number(entry['prints']);
    const prints = toPrints(bytes?.subarray(at * BYTES, (at + size) * BYTES));
    at += size;
    return {
      source: toSource(entry['source']),
      marks: Number(entry['marks']),
      prints,
      isPartial: entry['isPartial'] === true || prints.size < size,
    };
  });
}

function toSource(given: Json | undefined): Source | undefined {
  // Sealed by this program, under this key: it is what `sealRow` wrote.
  return isObject(given) ? (given as unknown as Source) : undefined;
}

/** Little-endian whatever the machine: replicas may differ. */
function toBytes(what: readonly Remembered[], size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size * BYTES);
  let at = 0;
  for (const { prints } of what)
    for (let i = 0; i < prints.size; i++) {
      bytes.writeUInt32LE(prints.high[i] ?? 0, at);
      bytes.writeUInt32LE(prints.low[i] ?? 0, at + 4);
      at += BYTES;
    }
  return bytes;
}

function toPrints(bytes: Buffer | undefined): PrintList {
  const size = bytes === undefined ? 0 : Math.floor(bytes.length / BYTES);
  const prints = new PrintList(Math.max(size, 1));
  for (let i = 0; bytes !== undefined && i < size; i++)
    prints.add(bytes.readUInt32LE(i * BYTES), bytes.readUInt32LE(i * BYTES + 4));
  return prints;
}
