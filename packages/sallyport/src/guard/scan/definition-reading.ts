import type { JsonObject } from '../../core/json.ts';
import { toOriginal } from '../decode/mapped-text.ts';
import { openLinks } from '../decode/open-links.ts';
import { type Canonical, toCanonical, type View } from './canonical.ts';
import { maskOf, SentenceBits } from './concept-bits.ts';
import { CONCEPTS, type Concept, type Row } from './concepts.ts';
import { type DefinitionText, textsOf, tooLarge } from './definition-texts.ts';
import { isExample, isForbidden, isKeptOut, isRefused, isSomebody, isStopped, type Said } from './excuses.ts';
import { SCAN_WORDS, type ScanWord } from './scan-words.ts';
import { unwrap } from './unwrap.ts';
import { WordFilter } from './word-filter.ts';

/** A place in the stranger's own words. */
export interface Place {
  readonly where: string;
  readonly start: number;
  readonly end: number;
  /** What stands there, as written. */
  readonly evidence: string;
}

/** One view of one text, inside the joined text. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly source: DefinitionText;
  readonly canonical: Canonical;
  readonly view: View;
}

/** What a concept said, and in which sentence. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  readonly sentence: number;
}

/** A definition as a model may read it: all texts in one, so that each pattern passes over it once. */
export interface Reading {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** What each sentence holds; common concepts after `readCommon`. */
  readonly sentences: SentenceBits;
  readonly hits: ReadonlyMap<Concept, readonly Hit[]>;
  /** Looks for what honest tools say as well. Most definitions need not be read for it. */
  readCommon(): void;
  /** Bounds of a sentence in `text`. */
  sentenceAt(index: number): readonly [number, number];
  locate(start: number, end: number): Place;
  pieceAt(start: number): Piece | undefined;
}

const NAMES = Object.keys(CONCEPTS) as Concept[];
/** Said by honest tools all the time, and never a reason alone: looked for only where something else was found. */
const COMMON: ReadonlySet<Concept> = new Set([
  'trigger',
  'must',
  'send',
  'call',
  'execute',
  'handOver',
  'condition',
  'address',
  'argumentOf',
]);
/** Types, formats, names of parameters: one short word holds no instruction. */
const ONE_WORD = /^[A-Za-z0-9_$.-]{1,23}$/;
/** What takes its meaning from the clause that it stands in. */
const HARMLESS: ReadonlyMap<Concept, (said: Said) => boolean> = new Map([
  ['overUser', isForbidden],
  ['account', isExample],
  ['weakens', isRefused],
  ['shell', isRefused],
  ['override', isRefused],
  ['ownRules', isRefused],
  ['destroys', isRefused],
  ['named', isSomebody],
  ['secretPath', isKeptOut],
  ['deceives', isRefused],
  ['opensDoor', isStopped],
]);
/** Beyond what the longest definition holds of one word: whoever repeats one must not hide the next. */
const MAX_HITS = 65_536;
/** The end of "e.g." is none of its sentence. */
const SENTENCE = /[.!?;](?<!\b(?:e\.g|i\.e|z\.b|p\.ex|cf|vs)\.)[)"'`\]]{0,3}\s|[。！？；]|[!?;](?=[\u2e80-\uffff])|\n/g;
const EVIDENCE = 200;
const building = WordFilter.build(SCAN_WORDS);
let filter: WordFilter<ScanWord> | undefined;

/** A filter is made step by step, so that no definition waits for it; until then every pattern is looked for. */
function filterOf(text: string): (word: ScanWord) => boolean {
  if (filter === undefined) {
    const step = building.next();
    if (step.done === true) filter = step.value;
  }
  return filter?.read(text) ?? (() => true);
}

/** Reads a definition once. */
export function readDefinition(definition: JsonObject): Reading {
  return readTexts(textsOf(definition));
}

export function readTexts(texts: readonly DefinitionText[]): Reading {
  const pieces: Piece[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const source of texts) {
    if (ONE_WORD.test(source.text) && source.role !== 'description' && source.role !== 'name') continue;
    const canonical = toCanonical(source.text);
    if (canonical.isCut) throw tooLarge();
    for (const written of canonical.views) {
      const view = asRead(written);
      pieces.push({ start: length, end: length + view.text.length, source, canonical, view });
      parts.push(view.text);
      length += view.text.length + 1;
    }
  }
  const text = parts.join('\n');
  const starts = toSentences(text);
  const sentences = new SentenceBits(starts.length);
  const hits = new Map<Concept, readonly Hit[]>();
  const words = new Map<ScanWord, readonly Hit[]>();
  const mayHold = filterOf(text);
  // Most second words are never looked for: their first one is not there.
  const find = (word: ScanWord): readonly Hit[] => {
    const known = words.get(word);
    if (known !== undefined) return known;
    const found = mayHold(word) ? findHits(text, SCAN_WORDS[word], starts) : NO_HITS;
    words.set(word, found);
    return found;
  };
  const around = (start: number, end: number) => ({
    before: text.slice(Math.max(0, start - 120), start),
    said: text.slice(start, end),
    after: text.slice(end, end + 64),
  });
  const look = (name: Concept) => {
    let found = findRows(CONCEPTS[name], find);
    // "Do not reveal" takes nothing anywhere, and "do not say that" says nothing.
    if (name === 'send' || name === 'answer') found = apartFrom(found, hits.get('conceal') ?? []);
    const isHarmless = HARMLESS.get(name);
    if (isHarmless !== undefined) found = found.filter(({ start, end }) => !isHarmless(around(start, end)));
    if (found.length === 0) return;
    hits.set(name, found);
    const mask = maskOf([name]);
    for (const { sentence } of found) sentences.add(sentence, mask);
  };
  for (const name of NAMES) if (!COMMON.has(name)) look(name);
  let isCommonRead = false;
  const readCommon = () => {
    if (!isCommonRead) for (const name of COMMON) look(name);
    isCommonRead = true;
  };
  const pieceAt = (start: number) => pieces[lastAtMost(pieces, (piece) => piece.start, start)];
  return {
    text,
    pieces,
    sentences,
    hits,
    pieceAt,
    readCommon,
    sentenceAt: (index) => [starts[index] ?? 0, (starts[index + 1] ?? text.length + 1) - 1],
    locate: (start, end) => locate(pieceAt(start), start, end),
  };
}

function asRead(written: View): View {
  const text = openLinks(written.text);
  const view = text === written.text ? written : { ...written, text };
  const read = unwrap(text);
  if (read === undefined) return view;
  const back = (start: number, end: number) => toOriginal(read, start, end);
  return {
    ...view,
    text: read.text,
    range: (start, end) => view.range(...back(start, end)),
    disguised: (start, end) => view.disguised(...back(start, end)),
  };
}

function toSentences(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(SENTENCE)) starts.push(match.index + match[0].length);
  return starts;
}

const NO_HITS: readonly Hit[] = Object.freeze([]);

/** `exec` and not `matchAll`, which copies the pattern: most are looked for in vain. */
function findHits(text: string, pattern: RegExp, starts: readonly number[]): readonly Hit[] {
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (match === null) return NO_HITS;
  const hits: Hit[] = [];
  while (match !== null && hits.length < MAX_HITS) {
    const start = match.index;
    const end = start + match[0].length;
    hits.push({ start, end, sentence: lastAtMost(starts, (one) => one, start) });
    if (end === start) pattern.lastIndex += 1;
    match = pattern.exec(text);
  }
  return hits;
}

function findRows(rows: readonly Row[], find: (word: ScanWord) => readonly Hit[]): readonly Hit[] {
  let found = NO_HITS;
  for (const row of rows) {
    const hits = findRow(row, find);
    if (hits.length > 0) found = found.length === 0 ? hits : [...found, ...hits];
  }
  return found;
}

/** Wherever the words follow each other closely enough; the nearest one that fits is taken. */
function findRow({ words, gap }: Row, find: (word: ScanWord) => readonly Hit[]): readonly Hit[] {
  const [head, ...rest] = words;
  const first = head === undefined ? [] : find(head);
  if (first.length === 0 || rest.length === 0) return first;
  return first.flatMap((hit) => {
    let { end } = hit;
    for (const word of rest) {
      const next = firstFrom(find(word), end);
      if (next === undefined || next.start > end + gap || next.sentence !== hit.sentence) return [];
      end = next.end;
    }
    return [{ ...hit, end }];
  });
}

function apartFrom(hits: readonly Hit[], others: readonly Hit[]): readonly Hit[] {
  if (others.length === 0) return hits;
  return hits.filter(({ start, end }) => !others.some((other) => other.start < end && start < other.end));
}

function firstFrom(hits: readonly Hit[], start: number): Hit | undefined {
  const at = lastAtMost(hits, (hit) => hit.start, start - 1);
  const hit = hits[at];
  return hit !== undefined && hit.start >= start ? hit : hits[at + 1];
}

function locate(piece: Piece | undefined, start: number, end: number): Place {
  if (piece === undefined) return { where: '', start: 0, end: 0, evidence: '' };
  const [from, to] = piece.view.range(start - piece.start, Math.min(end, piece.end) - piece.start);
  const said =
    piece.view.kind === 'plain'
      ? piece.source.text.slice(from, to)
      : piece.view.text.slice(start - piece.start, end - piece.start);
  return { where: piece.source.where, start: from, end: to, evidence: toEvidence(said) };
}

/** Harmless to show: no control, format or private characters, no line breaks, 200 characters. */
export function toEvidence(text: string): string {
  return text
    .slice(0, EVIDENCE * 2)
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Variation_Selector}\s]{1,400}/gu, ' ')
    .trim()
    .slice(0, EVIDENCE);
}

/** Index of the last item whose key is at most `value`. */
function lastAtMost<T>(items: readonly T[], key: (item: T) => number, value: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const item = items[middle];
    if (item !== undefined && key(item) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
