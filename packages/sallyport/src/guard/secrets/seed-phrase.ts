import type { Reading } from './key-material.ts';

/** Twelve words of three letters, and what is between them. */
export const SHORTEST_PHRASE = 47;

/** BIP-39: how many words a phrase has. */
const LENGTHS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);
/** 3 to 8 letters each, nothing but a blank between them (also in a URL), longer phrases first. */
const WORDS = /(?<![A-Za-z0-9'’-])[a-z]{3,8}(?:(?:[ \t]{1,2}|[+,]|%20|, |\n)[a-z]{3,8}){11,23}(?![A-Za-z0-9'’-])/g;
const BETWEEN = /[ \t\n+,]|%20/;
/** Common words of English running text that the list of BIP-39 does not have. */
const NOT_LISTED: ReadonlySet<string> = new Set(
  'the and for are was were not but has had his her our its with from your been being than them their these those which would could does did into only more most some such very each both many much other also so too here where who whom how why may can will shall must get got let see use used using make made take took want need please example test user users file files name names data code error value values type types list string number return function import export const text page'.split(
    ' ',
  ),
);
/** In the list after all. */
const LISTED = new Set(
  'also some such only more other where into very can will must use need example code error list will'.split(' '),
);
const LABEL =
  /(?:seed|mnemonic|recovery|backup|wallet|secret|助记词)[^a-z\n]{0,3}(?:phrase|words?|seed)?[^a-z\n]{0,8}$/i;

/**
 * Recovery phrases of wallets by their form: the right number of words as long as the list's, of which none is one that
 * every English sentence has and the list has not, alone on its lines or behind a word that announces it. The list of
 * words itself, and with it the checksum of BIP-39, is not part of this program.
 */
export function findSeedPhrases(text: string, found: Reading[]): void {
  WORDS.lastIndex = 0;
  for (let hit = WORDS.exec(text); hit !== null; hit = WORDS.exec(text)) {
    const words = hit[0].split(BETWEEN).filter((word) => word !== '');
    const announced = LABEL.test(text.slice(Math.max(0, hit.index - 32), hit.index));
    if (LENGTHS.has(words.length) && isPhrase(words) && (announced || isAlone(text, hit.index, hit[0].length)))
      found.push({ kind: 'seed-phrase', start: hit.index, end: hit.index + hit[0].length });
  }
}

function isPhrase(words: readonly string[]): boolean {
  if (words.some((word) => NOT_LISTED.has(word) && !LISTED.has(word))) return false;
  // The list has no plurals and hardly a participle: two dozen words of another list have several.
  const inflected = words.filter((word) => /(?:[^s]s|ed|ing|ly)$/.test(word)).length;
  return inflected <= words.length / 8;
}

function isAlone(text: string, start: number, length: number): boolean {
  return (
    /(?:^|[\n"'=:])[ \t]*$/.test(text.slice(Math.max(0, start - 8), start)) &&
    /^[ \t]*(?:$|[\n"'&])/.test(text.slice(start + length, start + length + 8))
  );
}
