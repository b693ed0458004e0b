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
export const KEPT_TO = 65_536;
/** Of a text that nobody asked about: everything may be in it. */
export const ALL_SIGNS = -1;

function readSigns(text: string): number {
  const { length } = text;
  let seen = 0;
  let signs = 0;
  let start = 0;
  let inRun = 0;
  let words = 0;
  for (let i = 0; i <= length; i++) {
    const code = i < length ? text.charCodeAt(i) : END;
    const kind = code < 128 ? (KINDS[code] as number) : OTHER; // True: the table has 128 entries.
    if ((kind & CODED) !== 0) {
      inRun |= kind;
      continue;
    }
    const run = i - start;
    if (run >= SHORTEST_KEY) signs |= signsOfRun(run, inRun);
    if (run > 0) words = wordsIn(run, inRun, words);
    if (words >= SHORTEST_PHRASE) signs |= PHRASE;
    if ((kind & (BETWEEN | OTHER)) === 0) words = 0;
    seen |= inRun | kind;
    start = i + 1;
    inRun = 0;
  }
  signs |= seen & KEPT;
  if (hasSpaced(text)) signs |= SPACED_RUN;
  return (seen & DIGIT) === 0 ? signs : signs | signsOfDigits(text);
}

/** Words of a recovery phrase on end: numbers of a list and dashes stand between them, or join them. */
function wordsIn(size: number, seen: number, before: number): number {
  if ((seen & LETTERS) === 0) return size <= 2 ? before : 0;
  if ((seen & (DIGIT | JOIN)) !== 0) return before + ((size + 1) >> 2);
  // One more than the longest: the letter of `\n` in a literal stands before it.
  return size >= 3 && size <= 9 ? before + 1 : 0;
}

function signsOfRun(size: number, seen: number): number {
  // Digits, or both sorts of letters.
  const isMixed = (seen & DIGIT) !== 0 || (seen & LETTERS) === LETTERS;
  const long = size >= SHORTEST_CODE ? CODED_RUN | CODED_WORD : size >= 16 ? CODED_WORD : 0;
  return isMixed ? long | MIXED_RUN : long;
}

function signsOfDigits(text: string): number {
  let digits = 0;
  let uppers = 0;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) digits++;
    else if (code >= 65 && code <= 90) uppers++;
    else if (code === 46) dots++;
  }
  let signs = digits >= 9 ? LONG_NUMBER | NUMBER : digits >= 7 ? NUMBER : 0;
  if (dots >= 3 && digits >= 4) signs |= HOST;
  if (uppers >= 2 && digits >= 2 && uppers + digits >= 15) signs |= ACCOUNT;
  return signs;
}

/** Each long run has a place that is a multiple of its length: only there it is looked for. */
function hasSpaced(text: string): boolean {
  const { length } = text;
  for (let at = SHORTEST_SPACED - 1; at < length; at += SHORTEST_SPACED) {
    if (!isSpaced(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isSpaced(text.charCodeAt(start - 1))) start--;
    while (end < length && isSpaced(text.charCodeAt(end))) end++;
    if (end - start >= SHORTEST_SPACED) return true;
    at += Math.floor((end - 1 - at) / SHORTEST_SPACED) * SHORTEST_SPACED;
  }
  return false;
}

function isSpaced(code: number): boolean {
  return code < 128 && ((KINDS[code] as number) & SPACED) !== 0; // True: the table has 128 entries.
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

/** A colon or an equals sign. */
export const ASSIGNS = 1 << 8;
export const AT = 1 << 9;
/** Percent, ampersand, backslash. */
export const ESCAPES = 1 << 10;
/** No printable ASCII and no blank. */
export const OTHER = 1 << 11;
export const DASHES = 1 << 12;
const KEPT = ASSIGNS | AT | ESCAPES | OTHER | DASHES;
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

const END = 10;
const KINDS = new Int32Array(128);
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code);
  let kind = 0;
  if (/\d/.test(sign)) kind |= DIGIT;
  if (/[A-Z]/.test(sign)) kind |= UPPER;
  if (/[a-z]/.test(sign)) kind |= LOWER;
  if (/[-_+/]/.test(sign)) kind |= JOIN;
  if (/[0-9a-fA-F\-:,\\x ]/.test(sign)) kind |= SPACED;
  if (/[\s,;.:|"'`*()[\]>#%\\]/.test(sign)) kind |= BETWEEN;
  if (sign === '-') kind |= DASHES;
  if (sign === '@') kind |= AT;
  if (/[:=]/.test(sign)) kind |= ASSIGNS;
  if (/[%&\\]/.test(sign)) kind |= ESCAPES;
  if (/[^\s!-~]/.test(sign)) kind |= OTHER;
  KINDS[code] = kind;
}
