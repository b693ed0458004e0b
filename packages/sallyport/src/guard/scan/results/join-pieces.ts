import { knowWord, mayBeWord } from './know-words.ts';

/** A part of a text that shows nothing itself. */
export interface Break {
  readonly at: number;
  readonly end: number;
}

/** Letters with nothing between them but what shows nothing: `ig<b></b>nore`. */
export interface Joined {
  readonly at: number;
  readonly written: string;
  /** How many of the breaks stand in it. */
  readonly count: number;
}

const LONGEST_WORD = 24;
/** More breaks than that in one word are looked at no further: each of them may begin one. */
const MAX_BREAKS = 2 * LONGEST_WORD;

/**
 * What a browser shows as one word: its letters at the end of where its pieces stood, behind blanks. Only a word that the
 * rules know: two words that a tag keeps apart stay two.
 * @param breaks in order; `first`: the one that the word may begin with, or have first
 */
export function joinPieces(text: string, breaks: readonly Break[], first: number): Joined | undefined {
  const start = breaks[first]?.at ?? 0;
  let at = start;
  while (isLetter(text.charCodeAt(at - 1)) && start - at <= LONGEST_WORD) at--;
  let word = text.slice(at, start);
  let pieces = word === '' ? 0 : 1;
  for (let next = first; next < first + MAX_BREAKS; next++) {
    const from = breaks[next]?.end ?? 0;
    let end = from;
    while (isLetter(text.charCodeAt(end)) && end - from <= LONGEST_WORD) end++;
    if (end > from) pieces++;
    word += text.slice(from, end);
    if (word.length > LONGEST_WORD) return undefined;
    if (breaks[next + 1]?.at === end) continue;
    return pieces > 1 && isKnown(word) ? { at, written: word.padStart(end - at), count: next + 1 - first } : undefined;
  }
  return undefined;
}

function isKnown(word: string): boolean {
  if (!mayBeWord(word, 0, word.length)) return false;
  const { kind, isDisguised } = knowWord(word.toLowerCase(), false);
  return kind !== 0 && !isDisguised;
}

function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x7a;
}
