import { CONFUSABLES } from './confusables.ts';

const LOOKALIKES = new Map(
  CONFUSABLES.flatMap(([letter, codes]) => codes.split(' ').map((code) => [parseInt(code, 16), letter] as const)),
);
/** Bounded: there are more characters than this, and texts that use them all. */
const CACHE = new Map<number, string>();
const CACHE_SIZE = 4096;

/** One character as a reader takes it: NFKC, without accents, confusables as their ASCII letter (UTS 39), lower case. May be several, or none. */
export function foldCharacter(code: number): string {
  if (code < 0x80) return String.fromCharCode(code >= 0x41 && code <= 0x5a ? code + 32 : code);
  // Ideographs and syllables fold to themselves, and texts are full of them.
  if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return String.fromCharCode(code);
  const known = CACHE.get(code);
  if (known !== undefined) return known;
  const folded = fold(code);
  if (CACHE.size >= CACHE_SIZE) CACHE.clear();
  CACHE.set(code, folded);
  return folded;
}

/** A text for comparison: two that a person cannot tell apart are equal. Without a map back: see guard/scan/canonical.ts for one. */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldCharacter(character.codePointAt(0) ?? 0);
  return folded;
}

function fold(code: number): string {
  const enclosed = foldEnclosed(code);
  if (enclosed !== undefined) return enclosed;
  const character = String.fromCodePoint(code);
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return '';
  let folded = '';
  for (const part of character.normalize('NFKC')) folded += foldPart(part);
  return folded;
}

function foldPart(part: string): string {
  const found = LOOKALIKES.get(part.codePointAt(0) ?? 0);
  if (found !== undefined) return found;
  if (/\s/.test(part)) return ' ';
  const bare = part.normalize('NFKD').replace(/\p{Mn}/gu, '');
  if (/^[\0-\x7f]+$/.test(bare)) return bare.toLowerCase();
  // A mark alone belongs to the letter before it: accents tell no two ASCII words apart.
  if (isAccent(part.codePointAt(0) ?? 0)) return '';
  return LOOKALIKES.get(bare.codePointAt(0) ?? 0) ?? part.toLowerCase();
}

/** Letters in squares, circles and flags, which NFKC leaves as they are, and in brackets, of which it makes three characters. */
function foldEnclosed(code: number): string | undefined {
  for (const first of [0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6])
    if (code >= first && code < first + 26) return String.fromCharCode(0x61 + code - first);
  return undefined;
}

/** Combining diacritical marks, those for symbols, and the one of Cyrillic millions. */
function isAccent(code: number): boolean {
  return (code >= 0x300 && code <= 0x36f) || (code >= 0x20d0 && code <= 0x20f0) || code === 0x489;
}
