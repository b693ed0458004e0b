/** A part of a text, in UTF-16 units. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

/** Where encodings can be at all. */
export interface Coded {
  /** Long enough for base64, base32 or hexadecimal. */
  readonly coded: readonly Run[];
  /** Pairs of hexadecimal digits, or codes of characters, with something between them. */
  readonly spaced: readonly Run[];
}

/** Where keys and encodings can be at all. Prose has neither, so that nothing else is looked at there. */
export interface Survey extends Coded {
  /** Around long runs of letters and digits: marks of providers stand at their beginning. */
  readonly windows: readonly Run[];
}

const DIGIT = 1;
const UPPER = 2;
const LOWER = 4;
/** `-` and `_`: within keys, and within words. */
const JOIN = 8;
/** `+` and `/`: within base64. */
const SIGN = 16;
const HEX = 32;
/** What stands between pairs of hexadecimal digits. */
const BETWEEN = 64;
const WORD = DIGIT | UPPER | LOWER | JOIN;
const CODED = WORD | SIGN;
const SPACED = HEX | BETWEEN;

const CLASSES = new Uint8Array(128);
for (let code = 33; code < 127; code++) {
  const sign = String.fromCharCode(code);
  let bits = 0;
  if (/\d/.test(sign)) bits |= DIGIT;
  if (/[A-Z]/.test(sign)) bits |= UPPER;
  if (/[a-z]/.test(sign)) bits |= LOWER;
  if (/[-_]/.test(sign)) bits |= JOIN;
  if (/[+/]/.test(sign)) bits |= SIGN;
  if (/[0-9a-fA-F]/.test(sign)) bits |= HEX;
  if (/[-:,;\\x]/.test(sign)) bits |= BETWEEN;
  CLASSES[code] = bits;
}
CLASSES[32] = BETWEEN;

/** The shortest value behind a mark; shorter ones are words. */
const MIN_WORD = 12;
/** 20 characters of base64 are 15 bytes: no key is shorter. */
const MIN_CODED = 20;
/** 15 pairs and what stands between them. */
const MIN_SPACED = 44;
/** The longest mark, with room for `Authorization: Bearer`. */
const BEFORE = 64;

/**
 * One pass, no copy: 0.1 ms for 64 KiB.
 * @param shortest of an encoding; where there is something between its digits, it is longer
 */
export function surveyRuns(text: string, shortest = MIN_CODED): Survey {
  const shortestSpaced = shortest === MIN_CODED ? MIN_SPACED : shortest * 2;
  const windows: Run[] = [];
  const coded: Run[] = [];
  const spaced: Run[] = [];
  let word = 0;
  let wordBits = 0;
  let code = 0;
  let space = 0;
  for (let i = 0; i <= text.length; i++) {
    const at = i < text.length ? text.charCodeAt(i) : 0;
    const bits = at < 128 ? (CLASSES[at] as number) : 0; // True: the table has 128 entries.
    if ((bits & WORD) !== 0) wordBits |= bits;
    else {
      if (i - word >= MIN_WORD && isMixed(wordBits)) addWindow(windows, Math.max(0, word - BEFORE), i);
      word = i + 1;
      wordBits = 0;
    }
    if ((bits & CODED) === 0) {
      if (i - code >= shortest) coded.push({ start: code, end: i });
      code = i + 1;
    }
    if ((bits & SPACED) === 0) {
      if (i - space >= shortestSpaced) spaced.push({ start: space, end: i });
      space = i + 1;
    }
  }
  return { windows, coded, spaced };
}

/** Digits, or both sorts of letters. */
function isMixed(bits: number): boolean {
  return (bits & DIGIT) !== 0 || (bits & (UPPER | LOWER)) === (UPPER | LOWER);
}

function addWindow(windows: Run[], start: number, end: number): void {
  const last = windows.at(-1);
  if (last !== undefined && start <= last.end) windows[windows.length - 1] = { start: last.start, end };
  else windows.push({ start, end });
}
