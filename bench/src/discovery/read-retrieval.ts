import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJson, type Json, toText } from '../detection/read-rows.ts';

/** A tool of a catalogue, in the form the product indexes. */
export interface Document {
  readonly id: string;
  /** Unique: catalogues without servers have one server a tool, and a second tool of a name has a server of its own. */
  readonly server: string;
  readonly definition: Json;
}

export interface Query {
  readonly id: string;
  readonly query: string;
  readonly gold: readonly string[];
  readonly steps: readonly string[];
}

/** A set of queries and the catalogues it is asked of; `isHaystack`: exact duplicates of a right tool are right, too. */
export interface QuerySet {
  readonly name: string;
  readonly queries: string;
  readonly catalogs: readonly string[];
  readonly isHaystack?: true;
}

const HAYSTACK = ['livemcp', 'toucan'];
export const SETS: readonly QuerySet[] = [
  { name: 'livemcp', queries: 'livemcp', catalogs: ['livemcp'] },
  { name: 'livemcp-steps', queries: 'livemcp-steps', catalogs: ['livemcp'] },
  { name: 'haystack', queries: 'haystack', catalogs: HAYSTACK, isHaystack: true },
  { name: 'sealtools', queries: 'sealtools', catalogs: ['sealtools'] },
  { name: 'metatool', queries: 'metatool', catalogs: ['metatool'] },
  { name: 'metatool-multi', queries: 'metatool-multi', catalogs: ['metatool'] },
  { name: 'stabletoolbench', queries: 'stabletoolbench', catalogs: ['stabletoolbench'] },
  { name: 'bfcl-live', queries: 'bfcl-live', catalogs: ['bfcl-live'] },
  { name: 'graphtoucan', queries: 'graphtoucan', catalogs: ['graphtoucan'] },
  { name: 'ultratool-zh', queries: 'ultratool-zh', catalogs: ['ultratool-zh'] },
  { name: 'ultratool-en', queries: 'ultratool-en', catalogs: ['ultratool-en'] },
  { name: 'aliyun-en', queries: 'aliyun-en', catalogs: ['aliyun-en'] },
  { name: 'aliyun-zh', queries: 'aliyun-zh', catalogs: ['aliyun-zh'] },
];
/** Asked of the same catalogue as `haystack`, one step at a time; no part of the mean. */
export const HAYSTACK_STEPS: QuerySet = {
  name: 'haystack-steps',
  queries: 'livemcp-steps',
  catalogs: HAYSTACK,
  isHaystack: true,
};

/** The queries of a set, of the first split that is there; none where no file is. */
export function readQueries(directory: string, { queries }: QuerySet, splits: readonly string[]): readonly Query[] {
  const file = [...splits.map((split) => `queries-${queries}.${split}.jsonl`), `queries-${queries}.jsonl`].find((one) =>
    existsSync(join(directory, one)),
  );
  return readLines(directory, file).map((row) => ({
    id: toText(row['id']),
    query: toText(row['query']),
    gold: toTexts(row['gold']),
    steps: toTexts(row['steps']),
  }));
}

export function readCatalog(directory: string, name: string): readonly Document[] {
  const file = `catalog-${name}.jsonl`;
  const times = new Map<string, number>();
  return readLines(directory, existsSync(join(directory, file)) ? file : undefined).map((definition) => {
    const server = toText(definition['server']);
    const key = JSON.stringify([server, server === '' ? '' : definition['name']]);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    // No word of a text, so that nothing is found by it.
    return { id: toText(definition['id']), server: server + '~'.repeat(before), definition };
  });
}

/** Right tool -> its exact duplicates. */
export function readDuplicates(directory: string): ReadonlyMap<string, readonly string[]> {
  const file = join(directory, 'equiv-haystack.json');
  if (!existsSync(file)) return new Map();
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(isJson(found) ? Object.entries(found).map(([id, others]) => [id, toTexts(others)]) : []);
}

function readLines(directory: string, file: string | undefined): readonly Json[] {
  if (file === undefined) return [];
  return readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => JSON.parse(line))
    .filter(isJson);
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(toText) : [];
}
