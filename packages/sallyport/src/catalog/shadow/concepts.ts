import { isDeed, toMeanings } from '../search/synonyms.ts';
import { stem } from '../search/tokens.ts';

/** Words that carry no meaning of their own in the text of a tool. */
const EMPTY = new Set(
  `a an and any are arg args argument arguments as at be been by can could do does each eg either etc for from given has have
  how if ie in into is it its may more must need not of on one only optional or other our output param parameter parameters
  please provide provided provides required response result results return returned returning returns s should so some
  specific specified specify str string such than that the their them then there these they this those to tool tools type
  up upon us use used useful user users uses using value values via was we were what when whenever where whether which
  while who will with within without you your default true false none null int integer number bool boolean object array
  dict data information info allow allows enable enables based e g i also include includes including following support
  supports 的 了 和 与 或 在 是 一 个 用 于 该 此 这 以 及 为 中 将 可 有`
    .split(/\s+/)
    .map(stem),
);

export function isEmptyTerm(term: string): boolean {
  return EMPTY.has(term);
}

/** What a text speaks of: its terms without empty words, those that mean the same as one. */
export function toConcepts(text: string): Set<string> {
  const concepts = new Set<string>();
  for (const meaning of toMeanings(text)) if (!isEmptyTerm(meaning)) concepts.add(meaning);
  return concepts;
}

/** An action that most servers have says less of a tool than what it acts on. */
export function weightOf(concept: string): number {
  return isDeed(concept) ? 0.5 : 1;
}
