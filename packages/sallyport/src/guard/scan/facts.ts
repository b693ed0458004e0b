import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { Concept } from './concepts.ts';
import { CONCEPT_BITS, type Reading } from './definition-reading.ts';
import { FEATURES, type Feature, type Part } from './features.ts';
import { findMentions, fold, type Mention } from './mentions.ts';
import type { DefinitionContext } from './scan-context.ts';

/** Which reasons a definition gives, and where. */
export interface Facts {
  /** The first sentence that holds each feature, or -1. */
  readonly sentences: readonly number[];
  /** What each sentence holds. */
  readonly bits: readonly number[];
  readonly mentions: readonly Mention[];
  readonly values: readonly number[];
}

const FOREIGN = 1 << 29;
const OWN = 1 << 30;
const UNKNOWN = 1 << 31;
const WHOSE = { foreign: FOREIGN, own: OWN, unknown: UNKNOWN } as const;
const isPart = (part: Part): part is Concept => CONCEPT_BITS.has(part as Concept);
const bitOf = (part: Part): number =>
  part === 'foreignTool'
    ? FOREIGN
    : part === 'ownTool'
      ? OWN
      : part === 'unknownTool'
        ? UNKNOWN
        : (CONCEPT_BITS.get(part) ?? 0);
const MASKS = FEATURES.map(({ all }) => toMasks(all));
/** More of the same is no other reason. */
const MAX_COUNT = 3;

export function findFacts(reading: Reading, context: DefinitionContext, own: ReadonlySet<string>): Facts {
  const mentions = findMentions(reading, context, own);
  if (reading.hits.size > 0 || mentions.length > 0) reading.readCommon();
  const bits = [...reading.sentences];
  for (const { start, whose } of mentions) {
    const index = sentenceOf(reading, start);
    bits[index] = (bits[index] ?? 0) | WHOSE[whose];
  }
  const first = new Array<number>(FEATURES.length).fill(-1);
  const counts = new Array<number>(FEATURES.length).fill(0);
  for (let i = 0; i < bits.length; i++) {
    const own = bits[i] ?? 0;
    if (own === 0) continue;
    for (let f = 0; f < MASKS.length; f++) {
      if (!(MASKS[f] ?? []).every((mask) => (own & mask) !== 0)) continue;
      if (FEATURES[f]?.unless?.test(reading.text.slice(...reading.sentenceAt(i))) === true) continue;
      if (first[f] === -1) first[f] = i;
      counts[f] = (counts[f] ?? 0) + 1;
    }
  }
  const values = FEATURES.map(({ shows, isCounted }, f) =>
    isCounted === true && isPart(shows) ? (reading.hits.get(shows)?.length ?? 0) : Math.min(counts[f] ?? 0, 1),
  );
  return { sentences: first, bits, mentions, values: values.map((value) => Math.min(value, MAX_COUNT)) };
}

/** One mask per part of the condition: each must meet the bits of the sentence. */
export function toMasks(all: Feature['all']): readonly number[] {
  return all.map((part) => (typeof part === 'string' ? [part] : part).reduce((mask, one) => mask | bitOf(one), 0));
}

function sentenceOf(reading: Reading, at: number): number {
  let low = 0;
  let high = reading.sentences.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (reading.sentenceAt(middle)[0] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where a part of a reason stands in the joined text: in this sentence, else the sentence. */
export function spanOf(
  reading: Reading,
  facts: Facts,
  at: { readonly sentence: number; readonly shows: Part },
): readonly [number, number] {
  const { sentence, shows } = at;
  const [start, end] = reading.sentenceAt(sentence);
  const found = isPart(shows)
    ? reading.hits.get(shows)?.find((hit) => hit.sentence === sentence)
    : facts.mentions.find((one) => one.start >= start && one.start <= end && `${one.whose}Tool` === shows);
  return found === undefined ? [start, end] : [found.start, found.end];
}

/** The names a definition may say without speaking of others: its own and those of its parameters. */
export function namesOf(definition: JsonObject): ReadonlySet<string> {
  const name = member(definition, 'name');
  const properties = member(member(definition, 'inputSchema'), 'properties');
  const names = [...(typeof name === 'string' ? [name] : []), ...(isObject(properties) ? Object.keys(properties) : [])];
  return new Set(names.map(fold));
}
