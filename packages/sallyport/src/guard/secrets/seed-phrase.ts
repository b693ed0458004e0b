import { wordlist } from '@scure/bip39/wordlists/english.js';
import { hasWordSum } from './checks.ts';
import type { Reading } from './key-material.ts';

/** Twelve words of three letters, and what is between them. */
export const SHORTEST_PHRASE = 47;
/** Words of the shortest one. */
export const FEWEST_WORDS = 12;

/** BIP-39: how many words a phrase has. */
const LENGTHS = [24, 21, 18, 15, 12] as const;
/** Where a word stands in the list. */
const PLACES: ReadonlyMap<string, number> = new Map(wordlist.map((word, place) => [word, place]));

/**
 * Recovery phrases of wallets: words of the list of BIP-39 whose last bits are the checksum of the others, wherever they
 * stand; one sequence in 16 of twelve words has it by chance, and hardly a sentence is made of such words alone. Where the
 * sum is wrong (a slip, two words exchanged on purpose, Electrum, Monero, lists of other languages) only what a word
 * announces counts, by its form.
 *
 * @param field the name the whole text is the value of
 */
export function findSeedPhrases(text: string, field: string | undefined, found: Reading[]): void {
  eachLikelyRun(text, (start, end) => findSums(text.slice(start, end), start, found));
  LABEL.lastIndex = 0;
  for (let label = LABEL.exec(text); label !== null; label = LABEL.exec(text))
    readAnnounced(text, LABEL.lastIndex, found);
  if (field !== undefined && LABEL_NAME.test(field)) readAnnounced(`:${text}`, 0, found, -1);
}

/** Can there be one? Prose has long rows of short words, too. */
export function mayHoldPhrase(text: string): boolean {
  LABEL.lastIndex = 0;
  let may = LABEL.test(text);
  if (!may)
    eachLikelyRun(text, () => {
      may = true;
    });
  return may;
}

/** Of so few words that a person can tell at once that it is nobody's: `abandon … about`, `test … junk`. */
export function isTestPhrase(phrase: string): boolean {
  return new Set(phrase.toLowerCase().match(/[a-z]{3,8}/g)).size <= 3;
}

/** Longer texts are no piece of a phrase, but hold a whole one or none. Characters: 24 words and their numbers. */
const MAX_PIECE = 320;

/** How many words a text has that is made of likely words of the list and nothing else; 0: it is no piece of a phrase. */
export function countLikely(text: string): number {
  if (text.length > MAX_PIECE) return 0;
  let words = 0;
  for (let i = 0; i < text.length; ) {
    const kind = KINDS[text.charCodeAt(i)];
    let end = i + 1;
    while (end < text.length && KINDS[text.charCodeAt(end)] === kind) end++;
    if (kind === LETTER && isLikely(text, i, end)) words++;
    else if (kind !== GAP && (kind !== DIGIT || end - i > 2)) return 0;
    i = end;
  }
  return words;
}

const LETTER = 1;
const DIGIT = 2;
const GAP = 3;
/** By code: what stands between words in sentences, lists, tables, URLs and JSON, in scripts that have signs of their own for it too. */
const KINDS = new Uint8Array(1 << 16);
for (const code of [...Array(128).keys()]) {
  const sign = String.fromCharCode(code);
  if (/[A-Za-z]/.test(sign)) KINDS[code] = LETTER;
  else if (/\d/.test(sign)) KINDS[code] = DIGIT;
  else if (/[\s,;.:|"'`*()[\]>#%\\/+_-]/.test(sign)) KINDS[code] = GAP;
}
for (const [from, to] of [
  [0xa0, 0xa0],
  [0xb7, 0xb7],
  [0x2000, 0x206f],
  [0x2500, 0x257f],
  [0x3000, 0x3002],
] as const)
  KINDS.fill(GAP, from, to + 1);
for (const sign of '\uff0c\uff0e\uff1a\uff1b\ufeff') KINDS[sign.charCodeAt(0)] = GAP;

/** A column of a table, and the number of the next line. */
const WIDEST_GAP = 24;
/** The first three letters of each word, five bits for each: a look into this is all that most words of a text cost. */
const STARTS = new Uint8Array(1 << 15);
for (const word of wordlist) STARTS[startOf(word, 0)] = 1;

function startOf(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
}

/** Where twelve words and more follow each other that begin as words of the list do. */
function eachLikelyRun(text: string, visit: (start: number, end: number) => void): void {
  let begin = 0;
  let end = 0;
  let words = 0;
  let word = -1;
  let digits = 0;
  for (let i = 0; i <= text.length; i++) {
    const kind = i < text.length ? KINDS[text.charCodeAt(i)] : 0;
    if (kind === LETTER) {
      if (word < 0) word = i;
      continue;
    }
    let goesOn = (kind === GAP && i - end < WIDEST_GAP) || (kind === DIGIT && digits < 2);
    if (word >= 0 && isLikely(text, word, i)) {
      if (words++ === 0) begin = word;
      end = i;
      goesOn = kind !== 0;
    } else if (word >= 0) goesOn = false;
    word = -1;
    digits = kind === DIGIT ? digits + 1 : 0;
    // Of `\n` in a literal the letter is none of the word behind it.
    if (kind === GAP && text.charCodeAt(i) === 92 && /[nrt]/.test(text.charAt(i + 1))) i++;
    if (goesOn) continue;
    if (words >= FEWEST_WORDS) visit(begin, end);
    words = 0;
  }
}

function isLikely(text: string, start: number, end: number): boolean {
  return end - start >= 3 && end - start <= 8 && STARTS[startOf(text, start)] === 1;
}

interface Word {
  readonly place: number;
  readonly start: number;
  readonly end: number;
  /** How many words before it stand in the order of the alphabet. */
  readonly rising: number;
}

/** About 40 ms. A text that goes on with words of the list after that is kept from leaving as a whole. */
const MAX_SUMS = 20_000;

function findSums(part: string, offset: number, found: Reading[]): void {
  let words: Word[] = [];
  const budget = { sums: MAX_SUMS };
  const close = () => {
    if (words.length >= FEWEST_WORDS) findWindows(words, budget, found);
    words = [];
  };
  for (const { 0: written, index } of part.matchAll(/\\[nrt]|[A-Za-z]+/g)) {
    if (written.startsWith('\\')) continue;
    const place = PLACES.get(written.toLowerCase());
    if (place === undefined) {
      close();
      continue;
    }
    const last = words.at(-1);
    const rising = last !== undefined && last.place < place ? last.rising + 1 : 0;
    words.push({ place, rising, start: offset + index, end: offset + index + written.length });
  }
  close();
}

/** Every sequence with a sum: words of the sentence around a phrase are often in the list as well. */
function findWindows(words: readonly Word[], budget: { sums: number }, found: Reading[]): void {
  for (let i = 0; i + FEWEST_WORDS <= words.length; i++)
    for (const length of LENGTHS) {
      const last = words[i + length - 1];
      // In the order of the alphabet it is a page of the list: 1 phrase in 479 million is in that order.
      if (last === undefined || last.rising >= length - 1) continue;
      const isPhrase = budget.sums-- <= 0 || hasWordSum(words.slice(i, i + length).map(({ place }) => place));
      if (isPhrase) add({ kind: 'seed-phrase', start: words[i]?.start ?? 0, end: last.end }, found);
    }
}

/** Sequences that overlap are one finding, so that nothing of the right one stays. */
function add(phrase: Reading, found: Reading[]): void {
  const last = found.at(-1);
  if (last?.kind !== phrase.kind || last.end < phrase.start) found.push(phrase);
  else found[found.length - 1] = { ...last, end: Math.max(last.end, phrase.end) };
}

const LABEL =
  /(?:seed|mnemonic|recovery|backup|wallet|secret)[ _-]{0,2}(?:phrase|words?|seed)|mnemonic|seed(?=["']?[ \t]{0,2}[:=])|助记词|恢复词/gi;
const LABEL_NAME =
  /(?:seed|mnemonic|recovery|backup|wallet|secret)[ _-]?(?:phrase|words?)|^(?:seed|mnemonic)s?$|助记词/i;
const FIRST = /(?: (?:is|are))?[^A-Za-z]{1,12}(?=[A-Za-z]{3})/y;
const NEXT = /(?:(?:[\s,;+]{1,8}|%20)(?:\d{1,2}[.):]?[ \t]{1,4})?)?([A-Za-z]{3,8})(?![A-Za-z0-9'’-])/y;

/** @param shift between the places of the text and those of what is found */
function readAnnounced(text: string, start: number, found: Reading[], shift = 0): void {
  FIRST.lastIndex = start;
  if (!FIRST.test(text)) return;
  const begin = FIRST.lastIndex;
  const words: string[] = [];
  let end = begin;
  for (NEXT.lastIndex = begin; words.length <= LENGTHS[0]; ) {
    const word = NEXT.exec(text)?.[1];
    if (word === undefined) break;
    words.push(word.toLowerCase());
    end = NEXT.lastIndex;
  }
  if (LENGTHS.some((length) => length === words.length) && isPhrase(words))
    found.push({ kind: 'seed-phrase', start: begin + shift, end: end + shift });
}

/** Common words of English running text that the list of BIP-39 does not have. */
const NOT_LISTED: ReadonlySet<string> = new Set(
  'the and for are was were not but has had his her our its with from your been being than them their these those which would could does did into only more most some such very each both many much other also so too here where who whom how why may can will shall must get got let see use used using make made take took want need please example test user users file files name names data code error value values type types list string number return function import export const text page'
    .split(' ')
    .filter((word) => !PLACES.has(word)),
);

function isPhrase(words: readonly string[]): boolean {
  if (words.some((word) => NOT_LISTED.has(word))) return false;
  // The list has no plurals and hardly a participle: two dozen words of another list have several.
  const inflected = words.filter((word) => /(?:[^s]s|ed|ing|ly)$/.test(word)).length;
  return inflected <= words.length / 8;
}
