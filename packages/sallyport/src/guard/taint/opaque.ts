import { fromBase32, fromBase32Hex, fromBase64, fromHex } from '../decode/bases.ts';
import { MAX_DEPTH } from '../decode/bounds.ts';
import { inflateWhole } from '../decode/inflate.ts';
import { readable } from './decode-forms.ts';
import { GRAM, type Printer, WINDOW } from './fingerprints.ts';
import { fold } from './normalise.ts';
import type { PrintList } from './print-list.ts';
import type { Recall } from './taint-ports.ts';

/** A part of a text that nobody can read, and what in it says so. */
export interface OpaquePart {
  /** As it stands there. */
  readonly text: string;
  /** Letters and digits in a row that no language has. */
  readonly runs: readonly string[];
}

/** Ids and digests that people hand on are no longer: 44 characters of Google's documents and of SHA-256 in base64. */
export const MOST_CARRIED = 48;
/** SHA-256 again. */
export const MOST_HEX = 64;
/** In groups with signs between: a list of ids looks so, too. */
export const MOST_IN_GROUPS = 128;
/** Runs of a token: a drawing or a formula is made of shorter ones. */
const SHORTEST_RUN = 8;
/** A list of languages and countries is made of shorter ones. */
const SHORTEST_GROUP = 3;
const LONGEST_GROUP = MOST_CARRIED;
const MAX_PARTS = 64;

/**
 * What may be encrypted: long, without a word, and as mixed as noise. Numbers and letters of other scripts are none of it.
 * Linear in the length of the text.
 */
export function findOpaque(text: string, depth = 0): readonly OpaquePart[] {
  if (text.length <= MOST_CARRIED) return NONE;
  const found: OpaquePart[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const runs = (token.match(RUN) ?? []).filter((run) => run.length >= SHORTEST_RUN && isUnread(run));
    if (carries(runs) && !isSaid(token, depth))
      found.push({ text: token, runs: runs.filter((run) => !isSaid(run, depth)) });
    if (found.length >= MAX_PARTS) return found;
  }
  return found.length > 0 || text.length <= MOST_IN_GROUPS
    ? found.filter(({ runs }) => carries(runs))
    : inGroups(text, depth);
}

const NONE: readonly OpaquePart[] = Object.freeze([]);
const TOKEN = /[^\s,;"'`()<>[\]{}|\u0080-\uffff]{49,}/g;
const RUN = /[A-Za-z0-9]+/g;
const HEX = /^[0-9a-fA-F]*$/;

/** Do these runs carry more than an id or a digest does? */
export function carries(runs: readonly string[]): boolean {
  const together = runs.join('');
  return HEX.test(together) ? isMixed(together, MOST_HEX, 3.5) : isMixed(together, MOST_CARRIED, 4.3);
}

/** Runs one after the other, whatever stands between them, without a word. By hand: it reads whole documents. */
function inGroups(text: string, depth: number): readonly OpaquePart[] {
  const found: OpaquePart[] = [];
  let runs: (readonly [start: number, end: number])[] = [];
  let size = 0;
  const close = (): void => {
    if (size > MOST_IN_GROUPS) {
      const all = runs.map(([start, end]) => text.slice(start, end));
      const together = all.join('');
      if (found.length < MAX_PARTS && isMixed(together, MOST_IN_GROUPS, 4.8) && !isSaid(together, depth))
        found.push({ text: text.slice(runs[0]?.[0], runs.at(-1)?.[1]), runs: all });
    }
    if (size > 0) runs = [];
    size = 0;
  };
  let start = -1;
  let isNumber = true;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0;
    if (code >= 0xc0) close();
    const kind = code < 128 ? (KINDS[code] ?? 0) : 0;
    if (kind !== 0) {
      if (start < 0) start = i;
      if (kind !== DIGIT) isNumber = false;
      continue;
    }
    if (start >= 0 && i - start >= SHORTEST_GROUP) {
      if (i - start > LONGEST_GROUP || lettersInWords(text, { start, end: i, shortest: LONG_WORD }) > 0) close();
      else if (!isNumber) {
        runs.push([start, i]);
        size += i - start;
      }
    }
    start = -1;
    isNumber = true;
  }
  close();
  return found;
}

/** Chance makes shorter words. */
const LONG_WORD = 4;
const SHORT_WORD = 3;

/** It says something once it is decoded and unpacked: what that is has been looked through. */
function isSaid(run: string, depth: number): boolean {
  if (depth >= MAX_DEPTH) return false;
  return [fromBase64, fromHex, fromBase32, fromBase32Hex].some((decode) => {
    const bytes = decode(run);
    const said = readable(bytes) ?? readable(Buffer.from(inflateWhole(bytes) ?? []));
    return said !== undefined && said.length * 3 > run.length && findOpaque(said, depth + 1).length === 0;
  });
}

/** Less than half of it is in words. */
function isUnread(run: string): boolean {
  return lettersInWords(run, { start: 0, end: run.length, shortest: SHORT_WORD }) * 2 < run.length;
}

const DIGIT = 1;
const UPPER = 2;
const LOWER = 3;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return /\d/.test(sign) ? DIGIT : /[A-Z]/.test(sign) ? UPPER : /[a-z]/.test(sign) ? LOWER : 0;
});

/** How many letters of a run are in words, as programs write words together, too: `createReader`, `HTTP`. */
function lettersInWords(
  text: string,
  { start, end, shortest }: { start: number; end: number; shortest: number },
): number {
  let letters = 0;
  for (let from = start; from < end; ) {
    const kind = KINDS[text.charCodeAt(from)];
    let to = from + 1;
    const rest = kind === UPPER && KINDS[text.charCodeAt(to)] === LOWER ? LOWER : kind;
    while (to < end && KINDS[text.charCodeAt(to)] === rest) to++;
    if (kind !== DIGIT && to - from >= shortest && isWord(text, from, to)) letters += to - from;
    from = to;
  }
  return letters;
}

/** Three of four of its pairs of letters are those of words. */
function isWord(text: string, start: number, end: number): boolean {
  let usual = 0;
  for (let i = start + 1; i < end; i++)
    usual += PAIRS[((text.charCodeAt(i - 1) | 32) - 97) * 26 + (text.charCodeAt(i) | 32) - 97] ?? 0;
  return usual * 4 >= (end - start - 1) * 3;
}

/** Where in the prints of a call it is asked whether somebody gave this text. */
interface AskedText {
  readonly value: number;
  readonly grams: readonly [from: number, to: number];
}

export interface AskedOpaque {
  readonly whole: AskedText;
  readonly runs: readonly (AskedText & { readonly text: string })[];
}

/** Longer texts are known by what `sampleOf` says. Characters. */
const LONGEST_ASKED = 65_536;

export function askOpaque(
  text: string,
  to: { readonly printer: Printer; readonly prints: PrintList },
): readonly AskedOpaque[] {
  return findOpaque(text).map((part) => ({
    whole: ask(part.text, to),
    runs: part.runs.map((run) => ({ text: run, ...ask(run, to) })),
  }));
}

function ask(text: string, { printer, prints }: { readonly printer: Printer; readonly prints: PrintList }): AskedText {
  const value = prints.size;
  printer.add('value', text.length < SHORTEST_SAMPLED ? text : sampleOf(text), prints);
  const from = prints.size;
  if (text.length <= LONGEST_ASKED) printer.addGrams(fold(text), prints, true);
  return { value, grams: [from, prints.size] };
}

/** Is there more in it than somebody gave, word for word, that nobody can read? */
export function isUnknown(asked: readonly AskedOpaque[], recall: Recall): boolean {
  return asked.some(
    ({ whole, runs }) =>
      !isGiven(whole, recall) && carries(runs.filter((run) => !isGiven(run, recall)).map(({ text }) => text)),
  );
}

/** Of a text that was read, each window of pieces has one that is remembered (`fingerprints.ts`). */
function isGiven({ value, grams: [from, to] }: AskedText, recall: Recall): boolean {
  if (recall.has(value)) return true;
  if (to - from < WINDOW) return false;
  let missing = 0;
  for (let i = from; i < to; i++) {
    missing = recall.has(i) ? 0 : missing + 1;
    if (missing >= WINDOW) return false;
  }
  return true;
}

/** Pictures and sounds are too long to be remembered: what stands for one, so that it is known when it comes back. */
export function sampleOf(text: string): string {
  const start = text.startsWith('data:') ? text.slice(0, 128).indexOf(',') + 1 : 0;
  const { length } = text;
  let sample = `\n${length - start}`;
  for (let i = 0; i < SAMPLES; i++) {
    const at = start + Math.floor(((length - start - GRAM) * i) / (SAMPLES - 1));
    sample += text.slice(at, at + GRAM);
  }
  return sample;
}

const SAMPLES = 64;
/** Shorter ones are remembered in pieces. */
export const SHORTEST_SAMPLED = 1_024;

/**
 * Which letters follow each letter from a on: 94 % of the pairs in words of English, French, Italian, Spanish, Portuguese and
 * Czech (BIP-39), this project's texts and code, and some of fifteen other languages in Latin letters. A third of all pairs.
 */
const FOLLOWERS = [
  ...['bcdfgiklmnprstuvyz', 'aeiloru', 'acehiklortu', 'aeilorsu', 'abcdefgijklmnoprstuvwxz', 'aefiloru', 'aehilnoru'],
  ...['aeiortu', 'abcdefgklmnoprstvz', 'aeo', 'aeios', 'adehilostuy', 'abeimopu', 'acdefghiknostuv'],
  ...['abcdfgiklmnoprstuvwz', 'aehiloprstu', 'u', 'abcdegikmnorstuvy', 'acehiklmopstu', 'acehilorstuy'],
  ...['abcdegilmnprst', 'aeio', 'aeio', '', 's', 'aeio'],
];

const PAIRS = Uint8Array.from({ length: 676 }, (_, pair) =>
  FOLLOWERS[Math.floor(pair / 26)]?.includes(String.fromCharCode(97 + (pair % 26))) === true ? 1 : 0,
);

/** Is there a stretch of more than this size of so many bits a character (Shannon)? What is beside it makes it no plainer. */
function isMixed(text: string, size: number, least: number): boolean {
  const last = text.length - size - 1;
  for (let at = 0; at < last; at += STEP) if (isNoise(text.slice(at, at + size + 1), least)) return true;
  return last >= 0 && isNoise(text.slice(last), least);
}

const STEP = 16;

/** And not each of them once, as in an alphabet. */
function isNoise(text: string, least: number): boolean {
  const counts = new Uint32Array(128);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  let seen = 0;
  for (const count of counts) {
    if (count === 0) continue;
    seen++;
    bits -= (count / text.length) * Math.log2(count / text.length);
  }
  return bits >= least && seen < text.length * MOST_DISTINCT;
}

/** Of 49 letters of base64, 34 are different. */
const MOST_DISTINCT = 0.9;
