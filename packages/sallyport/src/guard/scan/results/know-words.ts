import { kindsOf, LEXICON } from './lexicon.ts';
import { bitOf, WordTable } from './word-table.ts';

/** Looks words up that may be disguised: in digits, turned by 13 letters, with a slip of the pen, run together. */

export interface Known {
  readonly kind: number;
  readonly isDisguised: boolean;
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

/** Small letters for capitals of ASCII. */
const SMALL = new Uint16Array(65_536);
for (let code = 0; code < SMALL.length; code++) SMALL[code] = code >= 0x41 && code <= 0x5a ? code + 32 : code;
/** What they may stand for beside: letters for digits, and i for l, since `1` is both. */
const STANDS_FOR = SMALL.slice();
for (const [digit, letter] of ['0o', '1i', '3e', '4a', '5s', '7t', 'li', 'Li']) {
  if (digit !== undefined && letter !== undefined) STANDS_FOR[digit.charCodeAt(0)] = letter.charCodeAt(0);
}

const KNOWN = new WordTable([...known].filter(isLatin), SMALL);
const LOOSE = new WordTable([...loose].filter(isLatin), STANDS_FOR);
const LONGEST = Math.max(...[...loose].filter(isLatin).map(([word]) => word.length));

function isLatin([word]: readonly [string, unknown]): boolean {
  return /^[a-z]{2}/.test(word);
}

/** False: no word of the lexicon begins like this and is this long. ASCII only. */
export function mayBeWord(text: string, start: number, length: number): boolean {
  return (KNOWN.lengthsOf(text.charCodeAt(start), text.charCodeAt(start + 1)) & bitOf(length)) !== 0;
}

/** As `knowWord`, for a word of two units of ASCII or more where it stands in a text, whatever its case. */
export function knowUnits(units: Uint16Array, start: number, end: number): Known {
  return KNOWN.find(units, start, end) ?? NOTHING_KNOWN;
}

/** False: `knowUnits` knows nothing of these letters. */
export function mayKnow(units: Uint16Array, start: number, end: number): boolean {
  return KNOWN.mayHave(units, start, end);
}

/** The same for one that has letters and digits. */
export function knowMixed(units: Uint16Array, start: number, end: number): Known {
  return KNOWN.find(units, start, end) ?? LOOSE.find(units, start, end) ?? NOTHING_KNOWN;
}

/** Of one word at a time, longer than any of the lexicon. */
const WHOLE = new Uint16Array(32);

/** The same for one with an apostrophe, as it reads without. */
export function knowCut(
  units: Uint16Array,
  { start, quote, end, isMixed }: { start: number; quote: number; end: number; isMixed: boolean },
): Known {
  let length = 0;
  for (let i = start; i < end && length < WHOLE.length; i++) if (i !== quote) WHOLE[length++] = units[i] ?? 0;
  return isMixed ? knowMixed(WHOLE, 0, length) : knowUnits(WHOLE, 0, length);
}

/** @param word in lower case @param isMixed it has letters and digits */
export function knowWord(word: string, isMixed: boolean): Known {
  const found = known.get(word);
  if (found !== undefined || !isMixed) return found ?? NOTHING_KNOWN;
  if ((LOOSE.lengthsOf(word.charCodeAt(0), word.charCodeAt(1)) & bitOf(word.length)) === 0) return NOTHING_KNOWN;
  const read = word.replace(/[013457l]/g, (one) => String.fromCharCode(STANDS_FOR[one.charCodeAt(0)] ?? 0));
  return loose.get(read) ?? NOTHING_KNOWN;
}

/** The longest word at this place of a run of letters. */
export function knowRun(run: Uint16Array, at: number): { readonly kind: number; readonly length: number } | undefined {
  const most = Math.min(LONGEST, run.length - at);
  if (most < MIN_IN_RUN) return undefined;
  // The lengths of words that begin like this, as bits, the longest first.
  let lengths = LOOSE.lengthsOf(run[at] ?? 0, run[at + 1] ?? 0) & (2 * bitOf(most) - bitOf(MIN_IN_RUN));
  while (lengths !== 0) {
    const length = 31 - Math.clz32(lengths);
    const found = LOOSE.find(run, at, at + length);
    if (found !== undefined) return { kind: found.kind, length };
    lengths &= ~bitOf(length);
  }
  return undefined;
}

const MIN_IN_RUN = 3;

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
