import type { Span } from '../../../core/json-scan.ts';
import { findSuspect } from './find-suspect.ts';
import { readSigns } from './read-signs.ts';
import { FORM, NAMES, type Signs } from './sign-bits.ts';
import { readShapes, SHAPES } from './sign-shapes.ts';
import { BIAS, SIGN_WEIGHTS } from './sign-weights.ts';
import { isReported, type Spoken, type SpokenRule } from './spoken-to.ts';
import { UNREAD, UNREAD_WEIGHT } from './unread.ts';
import type { Words } from './words.ts';

/**
 * Weak signs that together are an order to a model: who is spoken to, what is wanted of him, and how. What each two of them
 * say is fitted (`scripts/train-sign-scorer.mjs`) to texts written for that; it may raise, never clear.
 */

export const ORDERS: SpokenRule = {
  id: 'many-signs',
  owasp: 'MCP06',
  why: 'Many signs together say that it gives orders to the model that reads it.',
};
const SURE = 0.55;
/** Not enough alone. */
const UNSURE = 0.3;
const UNSURE_FROM = -0.5;
/** Characters of one text, about 0.2 s: half a megabyte of nothing but suspect words. */
const MAX_READ = 524_288;
/** Sentences that are read together have this many words at most. */
const MAX_WORDS = 80;

/** Everything that can be said of a sentence: forms, classes, and whether one thing or more is demanded. */
export const SIGNS: readonly string[] = [...Object.keys(FORM), ...NAMES, 'demand', 'demands'];
const COUNT = SIGNS.length;
const FORMS = Object.keys(FORM).length;

/** What two signs add that stand in the same sentences; one alone is a pair with itself. */
const PAIRS = readWeights();

function readWeights(): Float32Array {
  const pairs = new Float32Array(COUNT * COUNT);
  for (const line of SIGN_WEIGHTS.trim().split('\n')) {
    const [weight, first = '', second = first] = line.split(' ');
    const [a, b] = [SIGNS.indexOf(first), SIGNS.indexOf(second)];
    if (a < 0 || b < 0) throw new Error(`sign-weights.ts names a sign that there is not: ${line}`);
    pairs[a * COUNT + b] = Number(weight);
    pairs[b * COUNT + a] = Number(weight);
  }
  return pairs;
}

/** A sentence, alone or with the one behind it. */
export interface Passage extends Span {
  readonly sentences: readonly Signs[];
  /** All but the shapes, which cost more than the rest. */
  readonly forms: number;
}

/** Orders to whoever reads the text that no single rule knows. */
export function findOrders(text: string, words: Words): readonly Spoken[] {
  const found: Spoken[] = [];
  let left = MAX_READ;
  for (const { start, end } of findSuspect(text, words)) {
    left -= end - start;
    if (left < 0) {
      found.push({ rule: UNREAD, weight: UNREAD_WEIGHT, start, end });
      break;
    }
    const best = findBest(text, readSigns(text, start, end));
    if (best === undefined || isReported(text, best.start)) continue;
    found.push({ rule: ORDERS, weight: best.score >= 0 ? SURE : UNSURE, start: best.start, end: best.end });
  }
  return found;
}

function findBest(text: string, sentences: readonly Signs[]): (Span & { readonly score: number }) | undefined {
  let best: (Span & { readonly score: number }) | undefined;
  for (const passage of passagesOf(sentences)) {
    const from = best?.score ?? UNSURE_FROM;
    const plain = signsOf(passage, passage.forms);
    if (weigh(plain) + mostOfShapes(plain) < from) continue;
    const score = weigh(readAllSigns(text, passage));
    if (score >= from) best = { start: passage.start, end: passage.end, score };
  }
  return best;
}

export function* passagesOf(sentences: readonly Signs[]): Generator<Passage> {
  let last: Signs | undefined;
  for (const sentence of sentences) {
    const { start, end, forms, words } = sentence;
    if (last !== undefined && last.words + words <= MAX_WORDS)
      yield { start: last.start, end, sentences: [last, sentence], forms: last.forms | forms };
    yield { start, end, sentences: [sentence], forms };
    last = sentence;
  }
}

/** The signs of a passage as places in {@link SIGNS}. */
export function readAllSigns(text: string, passage: Passage): readonly number[] {
  let { forms } = passage;
  for (const sentence of passage.sentences) forms |= readShapes(text, sentence);
  return signsOf(passage, forms);
}

function signsOf({ sentences }: Passage, forms: number): number[] {
  let classes = 0;
  let demands = 0;
  for (const sentence of sentences) {
    classes |= sentence.classes;
    demands += sentence.demands;
  }
  const signs: number[] = [];
  for (let bit = 0; bit < FORMS; bit++) if (((forms >>> bit) & 1) === 1) signs.push(bit);
  for (let bit = 0; bit < NAMES.length; bit++) if (((classes >>> bit) & 1) === 1) signs.push(FORMS + bit);
  if (demands > 0) signs.push(COUNT - 2);
  if (demands > 2) signs.push(COUNT - 1);
  return signs;
}

/** From 0 on it reads as orders to a model. */
function weigh(signs: readonly number[]): number {
  let sum = BIAS;
  for (let i = 0; i < signs.length; i++) {
    const row = (signs[i] as number) * COUNT;
    for (let j = i; j < signs.length; j++) sum += PAIRS[row + (signs[j] as number)] as number;
  }
  return sum;
}

const SHAPE_PLACES = Array.from({ length: FORMS }, (_, bit) => bit).filter((bit) => ((SHAPES >>> bit) & 1) === 1);
const AMONG_SHAPES = SHAPE_PLACES.flatMap((first, at) =>
  SHAPE_PLACES.slice(at + 1).map((second) => Math.max(0, PAIRS[first * COUNT + second] as number)),
).reduce((sum, one) => sum + one, 0);

/** What shapes can add at most to these. */
function mostOfShapes(signs: readonly number[]): number {
  let most = AMONG_SHAPES;
  for (const shape of SHAPE_PLACES) {
    let sum = PAIRS[shape * COUNT + shape] as number;
    for (const sign of signs) sum += PAIRS[shape * COUNT + sign] as number;
    if (sum > 0) most += sum;
  }
  return most;
}
