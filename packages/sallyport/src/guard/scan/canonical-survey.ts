/** What one pass over a text saw: bits of {@link SEEN}. Nothing of it: the text is what it looks like. */
export const SEEN = { foreign: 1, block: 2, escape: 4, spaced: 8, leet: 16, quoted: 32 } as const;

const LETTER = 1;
const DIGIT = 2;
/** Part of base64 or hexadecimal. */
const CODED = 4;
const BREAK = 8;
const SWAP = 16;
const CONTROL = 32;
/** Of scripts without blanks. */
const WIDE = 64;
const WIDE_FROM = 0x3040;
/** What stands alone where there is something between each. */
const SINGLE = LETTER | DIGIT | WIDE;
const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  let bits = 0;
  if (/[A-Za-z]/.test(character)) bits |= LETTER | CODED;
  if (/[0-9]/.test(character)) bits |= DIGIT | CODED;
  if (/[+/]/.test(character)) bits |= CODED;
  if (/[ .\-_*|,~\n]/.test(character)) bits |= BREAK;
  if (/[013457@$!]/.test(character)) bits |= SWAP;
  if (code === 127 || (code < 32 && !/[\t\n\r]/.test(character))) bits |= CONTROL;
  CLASSES[code] = bits;
}

/** Shorter blocks hold no instruction: 20 base64 characters are 15 bytes. */
const MIN_BLOCK = 20;
/** Codes of characters in a row. */
const MIN_CODES = 8;
const MIN_SPACED = 4;
const MIN_SWAPS = 2;
const SPACE = 0x20;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
/** Of quoted-printable; one is an assignment. */
const MIN_QUOTED = 3;

/** One pass, no copy, so that plain texts cost next to nothing. */
export function surveyText(text: string): number {
  let seen = 0;
  let block = 0;
  let codes = 0;
  let spaced = 0;
  let swaps = 0;
  let escapes = 0;
  let equals = 0;
  let before = 0;
  let beforeThat = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Above ASCII there is no class: what follows starts anew.
    const bits = code < 128 ? (CLASSES[code] ?? 0) : code >= WIDE_FROM ? WIDE : 0;
    if (code > 127 || (bits & CONTROL) !== 0) seen |= SEEN.foreign;
    if ((bits & CODED) !== 0) {
      block += 1;
      if (block === MIN_BLOCK) seen |= SEEN.block;
    } else {
      if (block > 0) {
        codes = (block >= 2 && block <= 4) || block === 8 ? codes + 1 : 0;
        if (codes === MIN_CODES) seen |= SEEN.block;
      }
      block = 0;
      if (code === PERCENT || code === AMPERSAND || code === BACKSLASH) escapes += 1;
      else if (code === EQUALS) equals += 1;
    }
    if ((bits & SINGLE) !== 0) {
      if ((before & BREAK) !== 0 && (beforeThat & SINGLE) !== 0) {
        spaced += 1;
        if (spaced === MIN_SPACED) seen |= SEEN.spaced;
      } else spaced = 0;
      if ((bits & LETTER) !== 0 && (before & SWAP) !== 0 && (beforeThat & (LETTER | SWAP)) !== 0) swaps += 1;
    }
    // A comma and a blank are one break.
    if (code === SPACE && (before & BREAK) !== 0) continue;
    beforeThat = before;
    before = bits;
  }
  if (escapes > 0) seen |= SEEN.escape;
  if (equals >= MIN_QUOTED) seen |= SEEN.quoted;
  if (swaps >= MIN_SWAPS) seen |= SEEN.leet;
  return seen;
}
