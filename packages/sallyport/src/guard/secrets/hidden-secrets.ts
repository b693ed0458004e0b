import { foldCharacter } from '../../core/fold-text.ts';
import { decodeEscapes } from '../scan/canonical-decode.ts';
import { createTextBuilder, type MappedText, toOriginal } from '../scan/mapped-text.ts';
import { isRandom } from './key-material.ts';
import type { SecretMatch } from './secret-match.ts';
import { type Run, type Survey, surveyRuns } from './survey-runs.ts';

/**
 * Secrets in encoded or disguised form. The views of `scan/canonical.ts` are for words: they fold case and keep prose only,
 * and a key is neither. Escapes and the way back to the original are shared with them.
 */
export type Find = (text: string, survey: Survey) => readonly SecretMatch[];

/** Encodings inside encodings. */
const MAX_DEPTH = 4;
/** Characters of escapes read again in one text: they cost thirty times what encodings do. */
const MAX_UNESCAPED = 256 * 1024;
const MAX_RUNS = 512;

interface Look {
  readonly find: Find;
  readonly budget: { escapes: number; bytes: number };
  readonly depth: number;
}

/** @param survey of the text */
export function findHidden(text: string, survey: Survey, find: Find): readonly SecretMatch[] {
  // Everything at every depth once, and what stands in several encodings a few times.
  const look = { find, budget: { escapes: MAX_UNESCAPED, bytes: 4 * text.length + 1_024 }, depth: 0 };
  const found = [...lookInto(text, survey, look), ...findReversed(text, survey, find)];
  return found.length === 0 ? NOTHING : found.map((match) => ({ ...match, how: 'hidden' as const }));
}

/** Longer texts are no value that somebody turned round. */
const MAX_REVERSED = 4_096;

/** Keys written from their end, told by their marks; numbers make sense in both directions and tell nothing. */
function findReversed(text: string, { windows }: Survey, find: Find): readonly SecretMatch[] {
  if (windows.length === 0 || text.length > MAX_REVERSED) return NOTHING;
  const back = [...text].reverse().join('');
  return find(back, surveyRuns(back))
    .filter(({ group, kind }) => group === 'credentials' && !NAMED.has(kind))
    .map((match) => ({ ...match, start: text.length - match.end, end: text.length - match.start }));
}

const NAMED: ReadonlySet<string> = new Set(['password', 'named-secret', 'connection-password', 'seed-phrase']);

function lookInto(text: string, survey: Survey, look: Look): SecretMatch[] {
  if (look.depth >= MAX_DEPTH) return NOTHING;
  const found: SecretMatch[] = [];
  const inside = { ...look, depth: look.depth + 1 };
  for (const run of disguisedRuns(text)) {
    const mapped = readAgain(text.slice(run.start, run.end));
    if (mapped === undefined || look.budget.escapes <= 0) continue;
    look.budget.escapes -= mapped.text.length;
    const again = surveyRuns(mapped.text);
    for (const match of [...look.find(mapped.text, again), ...lookInto(mapped.text, again, inside)]) {
      const [start, end] = toOriginal(mapped, match.start, match.end).map((at) => at + run.start) as [number, number]; // True: two places, two places.
      // What stands in the original as well was found there.
      if (mapped.text.slice(match.start, match.end) !== text.slice(start, end)) found.push({ ...match, start, end });
    }
  }
  for (const { start, end, said } of blocksOf(text, survey, look.budget))
    for (const match of lookIntoBlock(said, inside)) found.push({ ...match, start, end });
  return found;
}

const NOTHING: SecretMatch[] = [];

/** Nobody encodes forty mixed characters with a slash among them but to hide a key of that form (AWS secret keys). */
const NAKED_KEY = /(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9]{0,39}[/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

function lookIntoBlock(text: string, look: Look): readonly SecretMatch[] {
  const survey = surveyRuns(text);
  // Other data in encoded form is how programs carry it; a credential or an account number in it is hidden.
  const found = look.find(text, survey).filter(({ group }) => group === 'credentials' || group === 'financial');
  for (const { start: from, end: to } of survey.coded)
    for (const { 0: value, index } of text.slice(from, to).matchAll(NAKED_KEY))
      if (/[A-Z]/.test(value) && /[a-z]/.test(value) && isRandom(value, 4.2))
        found.push({
          ...{ kind: 'aws-secret-key', group: 'credentials', how: 'hidden', isSample: value.endsWith('EXAMPLEKEY') },
          ...{ start: from + index, end: from + index + value.length },
        });
  return [...found, ...lookInto(text, survey, look)];
}

/** Escapes, and characters that are not seen or stand for ASCII ones (full-width, mathematical, enclosed, tags). */
const DISGUISE =
  /%[0-9a-fA-F]{2}|\\[ux][0-9a-fA-F{]|&#[0-9xX]|\u034f|[\ufe00-\ufe0f]|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a]|[A-Za-z0-9_][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z0-9_]|\ud835[\udc00-\udfff]|\ud83c[\udd10-\udd9a]|\udb40[\udc00-\udfff]/g;
const BLANK = /[\s"'<>`]/;
/** Longer runs without a blank are read in parts. */
const MAX_RUN = 4_096;

/** Runs without blanks that have a disguise in them, long enough for a key. */
function disguisedRuns(text: string): readonly Run[] {
  const runs: Run[] = [];
  DISGUISE.lastIndex = 0;
  for (let hit = DISGUISE.exec(text); hit !== null && runs.length < MAX_RUNS; hit = DISGUISE.exec(text)) {
    let start = hit.index;
    let end = DISGUISE.lastIndex;
    const before = runs.at(-1)?.end ?? 0;
    while (start > before && end - start < MAX_RUN && !BLANK.test(text.charAt(start - 1))) start -= 1;
    while (end < text.length && end - start < MAX_RUN * 2 && !BLANK.test(text.charAt(end))) end += 1;
    DISGUISE.lastIndex = end;
    if (end - start >= MIN_RUN) runs.push({ start, end });
  }
  return runs;
}

const MIN_RUN = 12;
const ESCAPED = /%[0-9a-fA-F]{2}|\\[ux]|&#/;

/** A run as it reads without escapes, or without what is not seen. Where both are, the next round takes the second. */
function readAgain(text: string): MappedText | undefined {
  if (!ESCAPED.test(text)) return unfold(text);
  return /[\\&]/.test(text) ? decodeEscapes(text) : decodePercent(text);
}

/** `%41` and nothing else: thirty times faster than all escapes together, and what a flood would be made of. */
function decodePercent(text: string): MappedText {
  const starts = new Int32Array(text.length + 1);
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; length++) {
    const value = text.charCodeAt(i) === 0x25 ? fromHexPair(text.charCodeAt(i + 1), text.charCodeAt(i + 2)) : -1;
    starts[length] = i;
    codes[length] = value < 0 ? text.charCodeAt(i) : value;
    i += value < 0 ? 1 : 3;
  }
  starts[length] = text.length;
  const decoded = Buffer.from(codes.buffer, 0, length * 2).toString('utf16le');
  return { text: decoded, starts: starts.subarray(0, length + 1), disguised: undefined };
}

function fromHexPair(high: number, low: number): number {
  const [first, second] = [hexDigit(high), hexDigit(low)];
  return first < 0 || second < 0 ? -1 : first * 16 + second;
}

/** `NaN`, beyond the end of a text, is no digit either. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** NFKC, look-alikes of other scripts as the letters they are read as, and nothing invisible; case kept. */
function unfold(text: string): MappedText {
  const builder = createTextBuilder(text.length);
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0;
    const sign = code < 128 ? text.charAt(i) : String.fromCodePoint(code);
    if (code < 128) builder.add(sign, i);
    else if (!UNSEEN.test(sign)) builder.add(toLetter(sign, code), i, true);
    i += sign.length;
  }
  return builder.finish(text.length);
}

function toLetter(sign: string, code: number): string {
  if (code < 0x370 || code > 0x4ff) return sign.normalize('NFKC');
  const folded = foldCharacter(code);
  return sign === sign.toLowerCase() ? folded : folded.toUpperCase();
}

interface Block extends Run {
  readonly said: string;
}

const HEX_RUN = /(?:[0-9a-fA-F]{2}){15,}/g;
const HEX_PAIRS = /[0-9a-fA-F]{2}(?:[-: ,]{1,2}(?:0x|\\x)?[0-9a-fA-F]{2}){14,16384}/g;
/** Character codes in a row: 65, 75, 73, … or 01000001 01001011 …. */
const CODES = /(?:\d{2,3}[ ,]{1,2}){14,4096}\d{2,3}|(?:[01]{8}[ ,]{1,2}){14,4096}[01]{8}/g;
const WHOLE_HEX = /^[0-9a-fA-F]+$/;
const WHOLE_BASE32 = /^[A-Z2-7]{32,}$/;
/** Words with dashes, paths and names have one case or few capitals; base64 has a quarter of each. */
const ONE_CASE = /^[a-z0-9/_-]+$|^[A-Z0-9/_-]+$/;
const PATH_PART = /[A-Za-z0-9_-]{20,}/g;
/** PNG, JPEG, GIF, WebP, PDF, ZIP, WebAssembly, fonts and gzip, by the base64 of how they begin. */
const PICTURE = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0|UEsDB|AGFzbQ|d09GM|H4sI)/;

function blocksOf(text: string, { coded, spaced }: Survey, budget: Look['budget']): readonly Block[] {
  const blocks: Block[] = [];
  const add = (run: Run, bytes: Buffer) => {
    budget.bytes -= run.end - run.start;
    for (const said of printableRuns(bytes)) blocks.push({ ...run, said });
  };
  for (const run of joinLines(text, coded)) {
    if (budget.bytes <= 0) return blocks;
    const written = text.slice(run.start, run.end);
    if (WHOLE_BASE32.test(written) && !WHOLE_HEX.test(written)) add(run, fromBase32(written));
    if (PICTURE.test(written)) continue;
    for (const { 0: hex, index } of written.matchAll(HEX_RUN))
      add({ start: run.start + index, end: run.start + index + hex.length }, Buffer.from(hex, 'hex'));
    if (ONE_CASE.test(written)) continue;
    add(run, Buffer.from(written, 'base64'));
    if (!written.includes('/')) continue;
    // In a path or an address a slash stands between parts, and only each of them is base64.
    for (const { 0: part, index } of written.matchAll(PATH_PART))
      add({ start: run.start + index, end: run.start + index + part.length }, Buffer.from(part, 'base64'));
  }
  for (const run of spaced) {
    const part = text.slice(run.start, run.end);
    for (const { 0: codes, index } of part.matchAll(CODES)) {
      if (budget.bytes <= 0) return blocks;
      add({ start: run.start + index, end: run.start + index + codes.length }, fromCodes(codes));
    }
    for (const { 0: hex, index } of part.matchAll(HEX_PAIRS)) {
      if (budget.bytes <= 0) return blocks;
      const bytes = Buffer.from(hex.replace(/0x|\\x|[-: ,]/g, ''), 'hex');
      add({ start: run.start + index, end: run.start + index + hex.length }, bytes);
    }
  }
  return blocks;
}

/** RFC 2045 and PEM break base64 into lines. */
function joinLines(text: string, runs: readonly Run[]): readonly Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined && run.start - last.end <= 12 && /^\r?\n[ \t]{0,8}$/.test(text.slice(last.end, run.start));
    if (isNext) joined[joined.length - 1] = { start: last.start, end: run.end };
    else joined.push(run);
  }
  return joined;
}

function fromCodes(written: string): Buffer {
  const codes = written.split(/[ ,]{1,2}/);
  const base = codes.every((code) => code.length === 8) ? 2 : 10;
  const values = codes.map((code) => Number.parseInt(code, base));
  return values.every((value) => value < 256) ? Buffer.from(values) : Buffer.alloc(0);
}

const BASE32_SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase32(block: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const sign of block) {
    value = ((value << 5) | BASE32_SIGNS.indexOf(sign)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

const RUN = /[\t\n\r\x20-\x7e]{15,}/g;

/** Text inside bytes: all of it, or a piece between others. Random bytes have none of 15. */
function printableRuns(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').match(RUN) ?? [];
}
