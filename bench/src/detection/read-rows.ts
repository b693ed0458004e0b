import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Json = Readonly<Record<string, unknown>>;

/** The files of the yardstick, by the names of its manifest. */
const FILES = [
  'poisoned_tools',
  'benign_tools',
  'benign_hard_plugins',
  'injected_results',
  'benign_results',
  'shadow_pairs',
  'definition_changes',
  'egress_cases',
] as const;
export type FileName = (typeof FILES)[number];

/** One row of any file; whatever a file leaves out is empty. */
export interface DataRow {
  readonly id: string;
  readonly source: string;
  /** signal, strength, label, kind, …: as written. */
  readonly is: (member: string, ...values: readonly string[]) => boolean;
  readonly text: (member: string) => string;
  readonly object: (member: string) => Json | undefined;
  /** As written. */
  readonly written: Json;
}

/** Rows by file; a file that is not there has none. */
export type Data = ReadonlyMap<FileName, readonly DataRow[]>;

/** Reads `<name>.<split>.jsonl`, or `<name>.jsonl`; of the splits the first that is there. @throws when nothing is there */
export function readData(
  directory: string,
  splits: readonly string[],
): { readonly data: Data; readonly read: string[] } {
  const data = new Map<FileName, readonly DataRow[]>();
  const read: string[] = [];
  for (const name of FILES) {
    const file = [...splits.map((split) => `${name}.${split}.jsonl`), `${name}.jsonl`].find((one) =>
      existsSync(join(directory, one)),
    );
    data.set(name, file === undefined ? [] : readRows(join(directory, file)));
    if (file !== undefined) read.push(file);
  }
  if (read.length === 0)
    throw new Error(`${directory} holds none of the files ${FILES.join(', ')} (.dev.jsonl, .heldout.jsonl)`);
  return { data, read };
}

function readRows(file: string): DataRow[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      const written: unknown = JSON.parse(line);
      return isJson(written) ? [toRow(written, `row ${at + 1}`)] : [];
    });
}

function toRow(written: Json, fallback: string): DataRow {
  const text = (member: string): string => toText(written[member]);
  return {
    id: text('id') || fallback,
    source: text('source') || 'unknown',
    is: (member, ...values) => values.includes(text(member)),
    text,
    object: (member) => {
      const value = written[member];
      return isJson(value) ? value : undefined;
    },
    written,
  };
}

export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
