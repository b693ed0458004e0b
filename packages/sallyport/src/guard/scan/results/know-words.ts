import { kindsOf, LEXICON } from './lexicon.ts';
import { bitOf, WordLengths, WordTable } from './word-table.ts';

/** Looks words up that may be disguised: in digits, turned by 13 letters, with a slip of the pen, run together. */

export interface Known {
  readonly kind: number;
  readonly isDisguised: boolean;
}

/** Where a word stands in a text. */
export interface WordPlace {
  readonly start: number;
  readonly end: number;
  /** It has letters and digits. */
  readonly isMixed: boolean;
}

export const NOTHING_KNOWN: Known = { kind: 0, isDisguised: false };
/** Kinds of words that set something aside. */
export const OVERRIDES = kindsOf('override');

const known = new Map<string, Known>();
const turned = new Map<string, Known>();
for (const [word, kind] of LEXICON) {
  known.set(word, { kind, isDisguised: false });
  // Short words turned by 13 are words of their own ("gur").
  if (/^[a-z]{5,}$/.test(word)) turned.set(turn(word), { kind, isDisguised: true });
}
for (const [word, one] of turned) if (!known.has(word)) known.set(word, one);

/** Words as they read where `1` may be an i or an l. */
const loose = new Map([...LEXICON].map(([word, kind]) => [word.replaceAll('l', 'i'), { kind, isDisguised: true }]));

function turn(word: string): string {
  return word.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
}

/** Small letters for capitals; digits, and what joins words, as they are. */
const SMALL = Uint8Array.from({ length: 128 }, (_, code) => (code >= 0x41 && code <= 0x5a ? code + 32 : code));

/** What a character of ASCII may stand for: digits for letters, and i for l, since `1` is both. */
const STANDS_FOR = Uint8Array.from({ length: 128 }, (_, code) => code);
for (const [digit, letter] of ['0o', '1i', '3e', '4a', '5s', '7t', 'li']) {
  if (digit !== undefined && letter !== undefined) STANDS_FOR[digit.charCodeAt(0)] = letter.charCodeAt(0);
}

const KNOWN = new WordTable(onlyAscii(known), SMALL);
const LOOSE = new WordTable(
  onlyAscii(loose),
  SMALL.map((code) => STANDS_FOR[code] ?? 0),
);

function onlyAscii<T>(words: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...words].filter(([word]) => /^[!-~]{2,}$/.test(word)));
}

const LENGTHS = new WordLengths();
for (const word of known.keys())
  if (/^[a-z]{2}/.test(word)) LENGTHS.add(word.charCodeAt(0), word.charCodeAt(1), word.length);

/** False: no word of the lexicon begins like this and is this long. ASCII only. */
export function mayBeWord(text: string, start: number, length: number): boolean {
  return (LENGTHS.of(text.charCodeAt(start), text.charCodeAt(start + 1)) & bitOf(length)) !== 0;
}

/** As LENGTHS, by the first two letters as they may be read. */
const LOOSE_LENGTHS = new WordLengths();
let longest = 0;
for (const word of loose.keys())
  if (/^[a-z]{2}/.test(word)) {
    LOOSE_LENGTHS.add(word.charCodeAt(0), word.charCodeAt(1), word.length);
    longest = Math.max(longest, word.length);
  }

/** The lengths of the words that begin with these two letters, as they may be read. */
function looseLengths(text: string, at: number): number {
  return LOOSE_LENGTHS.of(STANDS_FOR[text.charCodeAt(at)] ?? 0, STANDS_FOR[text.charCodeAt(at + 1)] ?? 0);
}

/** As `knowWord`, for a word of two units of ASCII or more where it stands in a text, whatever its case. */
export function knowUnits(units: Uint16Array, { start, end, isMixed }: WordPlace): Known {
  return KNOWN.find(units, start, end) ?? (isMixed ? LOOSE.find(units, start, end) : undefined) ?? NOTHING_KNOWN;
}

/** @param word in lower case @param isMixed it has letters and digits */
export function knowWord(word: string, isMixed: boolean): Known {
  const found = known.get(word);
  if (found !== undefined || !isMixed) return found ?? NOTHING_KNOWN;
  if ((looseLengths(word, 0) & bitOf(word.length)) === 0) return NOTHING_KNOWN;
  return loose.get(foldDigits(word)) ?? NOTHING_KNOWN;
}

/** As it may be read. ASCII in lower case. */
export function foldDigits(word: string): string {
  return /[013457l]/.test(word)
    ? word.replace(/[013457l]/g, (one) => String.fromCharCode(STANDS_FOR[one.charCodeAt(0)] ?? 0))
    : word;
}

/** The longest word at this place of a run of letters. @param run as `foldDigits` gives it */
export function knowRun(run: string, at: number): { readonly kind: number; readonly length: number } | undefined {
  const lengths = looseLengths(run, at);
  if (lengths === 0) return undefined;
  for (let length = Math.min(longest, run.length - at); length >= 3; length--) {
    if ((lengths & bitOf(length)) === 0) continue;
    const found = loose.get(run.slice(at, at + length));
    if (found !== undefined) return { kind: found.kind, length };
  }
  return undefined;
}

const SLIPS = ['instructions', 'instruction', 'previous', 'directives', 'guidelines'].map(
  (word) => [word, LEXICON.get(word) ?? 0] as const,
);

/** What a word means with one letter more, less or other. */
export function slipOf(word: string): number {
  if (word.length < 7 || word.length > 13) return 0;
  return SLIPS.find(([right]) => isNear(word, right))?.[1] ?? 0;
}

function isNear(word: string, right: string): boolean {
  if (Math.abs(word.length - right.length) > 1) return false;
  let head = 0;
  while (head < word.length && word[head] === right[head]) head++;
  let tail = 0;
  while (tail < word.length - head && tail < right.length - head && word.at(-1 - tail) === right.at(-1 - tail)) tail++;
  return Math.max(word.length, right.length) - head - tail <= 1;
}
