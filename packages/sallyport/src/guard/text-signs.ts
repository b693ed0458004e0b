import { IS_SWAPPED } from './decode/text-units.ts';
import { ODD_SIGNS } from './plain-signs.ts';

/**
 * What a text has at all, as bits: detectors that need what is not there are not asked. One pass over the text in place of
 * a dozen, since every argument and every result is looked at.
 */
export function signsOf(text: string): number {
  const { length } = text;
  if (length < KEPT_FROM || length > KEPT_TO) return readSigns(text);
  if (text !== last) {
    lastSigns = readSigns(text);
    last = text;
  }
  return lastSigns;
}

/** Several guards look at the same result one after the other. Short texts cost less than remembering them. */
let last = '';
let lastSigns = 0;
const KEPT_FROM = 32;
/** Signs of longer texts are read anew each time. */
export const KEPT_TO = 1_048_576;
/** Of a text that nobody asked about: everything may be in it. */
export const ALL_SIGNS = -1;

function readSigns(text: string): number {
  const units = copyUnits(text);
  const { length } = text;
  let seen = 0;
  let signs = 0;
  let words = 0;
  let digits = 0;
  let uppers = 0;
  let dots = 0;
  for (let i = 0; i <= length; i++) {
    const start = i;
    let inRun = 0;
    let kind = KINDS[units[i] as number] as number; // True: the table has all units.
    while ((kind & CODED) !== 0) {
      inRun |= kind;
      digits += kind & DIGIT;
      uppers += kind & UPPER;
      kind = KINDS[units[++i] as number] as number; // True: a line break stands behind the last one.
    }
    const run = i - start;
    if (run >= SHORTEST_KEY) signs |= signsOfRun(run, inRun);
    // One more than the longest word of a phrase: the letter of `\n` in a literal stands before it.
    if (run > 0) words = run >= 3 && run <= 9 && (inRun & NO_LETTERS) === 0 ? words + 1 : wordsIn(run, inRun, words);
    if (words >= SHORTEST_PHRASE) signs |= PHRASE;
    if ((kind & (BETWEEN | OTHER)) === 0) words = 0;
    if ((kind & ODD) !== 0 && (inRun & DIGIT) !== 0) signs |= ODD_GAP;
    if (units[i] === DOT) dots++;
    seen |= inRun | kind;
  }
  signs |= seen & KEPT;
  if (hasSpaced(units, length)) signs |= SPACED_RUN;
  if (hasInnerHost(text, seen)) signs |= INNER_HOST;
  return digits === 0 ? signs : signs | signsOfDigits(digits, uppers / UPPER, dots);
}

/** Of one text at a time: a look into a string asks anew how the string is kept. */
let scratch = new Uint16Array(1_024);
/** From here on a copy by the platform is faster. */
const LONG = 48;

/** The units of a text, with a line break behind. */
function copyUnits(text: string): Uint16Array {
  const { length } = text;
  let units = scratch;
  if (units.length <= length) {
    units = new Uint16Array(length <= KEPT_TO ? 2 * length : length + 1);
    if (length <= KEPT_TO) scratch = units;
  }
  if (length < LONG || IS_SWAPPED) for (let i = 0; i < length; i++) units[i] = text.charCodeAt(i);
  else Buffer.from(units.buffer).write(text, 0, 'utf16le');
  units[length] = END;
  return units;
}

const INNER_NAME = /(?:internal|intranet|local|localdomain|corp|lan|home\.arpa)(?![\w-])/iy;
const INNER_SIX = /f[cde][0-9a-f]{2}:/iy;

/** The last label of a name in a network of one's own, or the first group of such an address of IPv6. */
function hasInnerHost(text: string, seen: number): boolean {
  for (let at = text.indexOf('.'); at >= 0; at = text.indexOf('.', at + 1)) {
    // Of c, h, i and l; behind most dots is a blank.
    const next = text.charCodeAt(at + 1) | 32;
    if (next !== 99 && next !== 104 && next !== 105 && next !== 108) continue;
    INNER_NAME.lastIndex = at + 1;
    if (INNER_NAME.test(text)) return true;
  }
  if ((seen & ASSIGNS) === 0) return false;
  for (let at = text.indexOf(':', 4); at >= 0; at = text.indexOf(':', at + 1)) {
    if ((text.charCodeAt(at - 4) | 32) !== 102) continue;
    INNER_SIX.lastIndex = at - 4;
    if (INNER_SIX.test(text)) return true;
  }
  return false;
}

/** Words of a recovery phrase on end where they are no plain ones: a number or a dash before each, or dashes between all of them. */
function wordsIn(size: number, seen: number, before: number): number {
  if ((seen & LETTERS) === 0) return size <= 2 ? before : 0;
  if ((seen & NO_LETTERS) === 0) return 0;
  if (size <= LONGEST_WORD) return before + 1;
  return size >= SHORTEST_JOINED && (seen & DIGIT) === 0 ? SHORTEST_PHRASE : 0;
}

function signsOfRun(size: number, seen: number): number {
  // Digits, or both sorts of letters.
  const isMixed = (seen & DIGIT) !== 0 || (seen & LETTERS) === LETTERS;
  const long = size >= SHORTEST_CODE ? CODED_RUN | CODED_WORD : size >= 16 ? CODED_WORD : 0;
  return isMixed ? long | MIXED_RUN : long;
}

function signsOfDigits(digits: number, uppers: number, dots: number): number {
  let signs = digits >= 9 ? LONG_NUMBER | NUMBER : digits >= 7 ? NUMBER : 0;
  if (dots >= 3 && digits >= 4) signs |= HOST;
  if (uppers >= 2 && digits >= 2 && uppers + digits >= 15) signs |= ACCOUNT;
  return signs;
}

/** Each long run has a place that is a multiple of its length: only there it is looked for. */
function hasSpaced(units: Uint16Array, length: number): boolean {
  for (let at = SHORTEST_SPACED - 1; at < length; at += SHORTEST_SPACED) {
    if (!isSpaced(units[at])) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isSpaced(units[start - 1])) start--;
    while (end < length && isSpaced(units[end])) end++;
    if (end - start >= SHORTEST_SPACED) return true;
    at += Math.floor((end - 1 - at) / SHORTEST_SPACED) * SHORTEST_SPACED;
  }
  return false;
}

function isSpaced(unit: number | undefined): boolean {
  return ((KINDS[unit ?? 0] ?? 0) & SPACED) !== 0;
}

/** The shortest value behind a mark of a provider; shorter ones are words. */
export const SHORTEST_KEY = 12;
/** 20 characters of base64 are 15 bytes: no key is shorter. */
export const SHORTEST_CODE = 20;
/** 15 pairs of hexadecimal digits and what stands between them. */
export const SHORTEST_SPACED = 44;

const DIGIT = 1;
const UPPER = 2;
/** What stands between the words of a recovery phrase. */
const BETWEEN = 4;
const LOWER = 8;
const LETTERS = UPPER | LOWER;
/** Of base64 and its kind for links, within words and keys. */
const JOIN = 16;
/** Hexadecimal digits, and what stands between pairs of them. */
const SPACED = 32;
const CODED = DIGIT | UPPER | LOWER | JOIN;
const NO_LETTERS = DIGIT | JOIN;

/** A colon or an equals sign. */
export const ASSIGNS = 1 << 8;
export const AT = 1 << 9;
/** Percent, ampersand, backslash. */
export const ESCAPES = 1 << 10;
/** No printable ASCII and no blank. */
export const OTHER = 1 << 11;
export const DASHES = 1 << 12;
const ODD_SHIFT = 23;
/** Digits and letters of other scripts that are read as ASCII, see `plain-signs.ts`. */
export const ODD_DIGIT = 1 << ODD_SHIFT;
const ODD = 2 << ODD_SHIFT;
/** Blanks and dashes that are, behind a word with a digit: those of prose are no part of a number. */
export const ODD_GAP = 4 << ODD_SHIFT;
const KEPT = ASSIGNS | AT | ESCAPES | OTHER | DASHES | ODD_DIGIT;
/** {@link SHORTEST_KEY} letters and digits with a digit or both sorts of letters among them. */
export const MIXED_RUN = 1 << 13;
/** {@link SHORTEST_CODE} letters and digits without a blank. */
export const CODED_RUN = 1 << 14;
/** 16 of them. */
export const CODED_WORD = 1 << 15;
/** {@link SHORTEST_SPACED} hexadecimal digits and signs between them. */
export const SPACED_RUN = 1 << 16;
/** Seven digits in all. */
export const NUMBER = 1 << 17;
/** Nine. */
export const LONG_NUMBER = 1 << 18;
/** Four digits and three dots. */
export const HOST = 1 << 19;
/** Fifteen capitals and digits. */
export const ACCOUNT = 1 << 20;
/** Twelve words of three to eight letters on end, with nothing but signs and numbers of a list between them. */
export const PHRASE = 1 << 21;
const SHORTEST_PHRASE = 12;
/** Eight letters, and `12-` before them. */
const LONGEST_WORD = 12;
/** Twelve words of three letters with a sign between them. */
const SHORTEST_JOINED = 47;

/** The end of a name or the beginning of an address of a network of one's own. */
export const INNER_HOST = 1 << 22;

const END = 10;
const DOT = 46;
const KINDS = Int32Array.from(ODD_SIGNS, (odd) => OTHER | (odd << ODD_SHIFT));
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code);
  let kind = 0;
  if (/\d/.test(sign)) kind |= DIGIT;
  if (/[A-Z]/.test(sign)) kind |= UPPER;
  if (/[a-z]/.test(sign)) kind |= LOWER;
  if (/[-_+/]/.test(sign)) kind |= JOIN;
  if (/[0-9a-fA-F\-:,;\\x ]/.test(sign)) kind |= SPACED;
  if (/[\s,;.:|"'`*()[\]>#%\\]/.test(sign)) kind |= BETWEEN;
  if (sign === '-') kind |= DASHES;
  if (sign === '@') kind |= AT;
  if (/[:=]/.test(sign)) kind |= ASSIGNS;
  if (/[%&\\]/.test(sign)) kind |= ESCAPES;
  if (/[^\s!-~]/.test(sign)) kind |= OTHER;
  KINDS[code] = kind;
}
