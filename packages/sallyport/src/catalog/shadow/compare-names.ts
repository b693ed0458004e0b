import { foldName } from '../../core/fold-name.ts';
import { foldText } from '../../core/fold-text.ts';
import { stem, toNameWords } from '../search/tokens.ts';
import { isFiller, isPraise, isVersion, splitPraise } from './qualifiers.ts';

/**
 * How two names stand to each other, seen from the first: `inflected` is `get_files` for `get_file`, `look-alike` reads like the other and is not it, `qualified` is
 * the other with words of praise or a version, `typo` is one slip of the finger away in a
 * word that is long enough to be known again, `slip` in any.
 */
export type NameRelation = 'same' | 'inflected' | 'look-alike' | 'qualified' | 'reordered' | 'typo' | 'slip' | 'other';

/** Below this a slip gives another honest word too often: get_row, get_col. */
const MIN_TYPO = 8;
const MAX_NAME = 128;
const HAN = /\p{Script=Han}/u;
/** Words of its own in a name that praises another: `best_google_search` for `search`. */
const MAX_OTHERS = 1;

/** A name in the forms in which it is compared. */
export interface NameForms {
  readonly name: string;
  /** See `toKey`. */
  readonly key: string;
  /** See `toLookKey`. */
  readonly look: string;
  /** Stemmed, in their order. */
  readonly words: readonly string[];
  /** The same words in any order. */
  readonly sorted: string;
}

export function toForms(name: string): NameForms {
  const cut = name.slice(0, MAX_NAME);
  const words = toNameWords(cut).flatMap(toWords);
  return { name: cut, key: toKey(cut), look: toLookKey(cut), words, sorted: [...words].sort().join(' ') };
}

export function compareNames(one: NameForms, other: NameForms): NameRelation {
  if (one.key === other.key) return isDisguised(one.name) && !isDisguised(other.name) ? 'look-alike' : 'same';
  if (one.look === other.look) return 'look-alike';
  if (one.sorted === other.sorted) return one.words.join(' ') === other.words.join(' ') ? 'inflected' : 'reordered';
  if (isQualified(one.words, other.words)) return 'qualified';
  if (!isOneSlip(one.key, other.key)) return 'other';
  return isWordSlip(one, other) ? 'typo' : 'slip';
}

/** Whether all words of another name stand in this one, and something else. */
export function isExtended({ words: mine }: NameForms, { words: theirs }: NameForms): boolean {
  return mine.length > theirs.length && theirs.every((word) => mine.includes(word));
}

/** A name without case and separators: honest servers that mean the same write it in each of these ways. */
export function toKey(name: string): string {
  const folded = foldName(name.slice(0, MAX_NAME));
  return /^[a-z0-9]*$/.test(folded) ? folded : folded.replace(/[^\p{L}\p{N}]/gu, '');
}

/** A name as it is read at a glance: letters of other scripts, digits for letters, rn for m. */
export function toLookKey(name: string): string {
  const folded = foldText(name.slice(0, MAX_NAME)).replace(/[^\p{L}\p{N}]/gu, '');
  const letters = /\d/.test(folded)
    ? folded.replace(/(?<=\p{L})0|0(?=\p{L})/gu, 'o').replace(/(?<=\p{L})1/gu, 'l')
    : folded;
  return letters.replaceAll('i', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** Looks like Latin and is something else, or holds what nobody sees. */
function isDisguised(name: string): boolean {
  return (
    !/^[ -~]*$/.test(name) && /[a-z]/.test(foldText(name)) && foldText(name) !== name.normalize('NFC').toLowerCase()
  );
}

/** Of two names that look the same, whether this one was written to look like the other: with other letters, or digits for letters. */
export function isDisguiseOf(one: string, other: string): boolean {
  return isDisguised(one) || (/\d/.test(one) && !/\d/.test(other));
}

function toWords(word: string): readonly string[] {
  return HAN.test(word) ? splitPraise(word) : [stem(word)];
}

function isQualified(mine: readonly string[], theirs: readonly string[]): boolean {
  const left = [...theirs];
  const extra: string[] = [];
  for (const word of mine) {
    const at = left.indexOf(word);
    if (at < 0) extra.push(word);
    else left.splice(at, 1);
  }
  const others = extra.filter((word) => !isPraise(word) && !isFiller(word) && !isVersion(word));
  if (left.length > 0 || others.length > MAX_OTHERS) return false;
  return extra.some(isPraise) || (others.length === 0 && extra.some(isVersion));
}

/** One letter more, less, another or two swapped; not another number. */
function isOneSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [a, b] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (/\d/.test(a + b)) return false;
  const isSwap = a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  return isSwap || (a.length <= 1 && b.length <= 1);
}

/** The slip stands inside one word of five letters or more: "get" and "set" are other words. */
function isWordSlip({ key, words: mine }: NameForms, { key: theirKey, words: theirs }: NameForms): boolean {
  if (Math.min(key.length, theirKey.length) < MIN_TYPO) return false;
  if (mine.length !== theirs.length) return mine.join('') === theirs.join('');
  const differing = mine.filter((word, i) => word !== theirs[i]);
  return differing.length === 1 && differing.every((word) => word.length >= 5);
}
