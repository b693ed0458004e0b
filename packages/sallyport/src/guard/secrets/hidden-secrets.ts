import { isUtf8 } from 'node:buffer';
import { type Block, blocksOf } from '../decode/blocks.ts';
import { MAX_DEPTH, MAX_PACKED } from '../decode/bounds.ts';
import { wideText } from '../decode/bytes-text.ts';
import { decodeEscapes, decodeQuoted } from '../decode/escapes.ts';
import { inflate } from '../decode/inflate.ts';
import { type MappedText, toOriginal } from '../decode/mapped-text.ts';
import { type Run, type Survey, surveyRuns } from '../decode/survey-runs.ts';
import { unfold } from '../decode/unfold.ts';
import { isRandom } from './key-material.ts';
import type { SecretMatch } from './secret-match.ts';

/**
 * Secrets in encoded or disguised form. What an encoding is and how it is undone is in `decode/`. The views of
 * `scan/canonical.ts` are for words: they fold case and keep prose only, and a key is neither.
 */
export type Find = (text: string, survey: Survey) => readonly SecretMatch[];

/** Characters of escapes read again in one text: they cost more than encodings do. */
const MAX_UNESCAPED = 256 * 1024;
/** Bytes of one text, unpacked. */
const MAX_INFLATED = 1024 * 1024;
const MAX_RUNS = 512;

interface Look {
  readonly find: Find;
  readonly budget: { escapes: number; bytes: number; inflated: number; packed: number };
  readonly depth: number;
}

/** @param survey of the text */
export function findHidden(text: string, survey: Survey, find: Find): readonly SecretMatch[] {
  // Everything at every depth once, and what stands in several encodings a few times.
  const budget = {
    ...{ escapes: MAX_UNESCAPED, bytes: 4 * text.length + 1_024, inflated: MAX_INFLATED, packed: MAX_PACKED },
  };
  const look = { find, budget, depth: 0 };
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
  const quoted = decodeQuoted(text);
  if (quoted !== undefined) lookAgain({ start: 0, mapped: quoted }, inside, found);
  // Of JSON in JSON every value stands between escapes.
  const json = JSON_IN_JSON.test(text) ? decodeEscapes(text) : undefined;
  if (json !== undefined) lookAgain({ start: 0, mapped: json }, inside, found);
  if (FORM.test(text)) lookAgain({ start: 0, mapped: asForm(text) }, inside, found);
  for (const { start, end } of disguisedRuns(text)) {
    if (json !== undefined && ESCAPED.test(text.slice(start, end))) continue;
    const mapped = readAgain(text.slice(start, end));
    if (mapped !== undefined) lookAgain({ start, mapped }, inside, found);
  }
  for (const { start, end, said } of saidIn(text, survey, look.budget))
    for (const match of lookIntoBlock(said, inside)) found.push({ ...match, start, end });
  return found;
}

const JSON_IN_JSON = /\\["'/]/;
/** A number in groups as a form writes blanks. */
const FORM = /[A-Za-z0-9]\+\d{2,6}\+\d/;

function asForm(text: string): MappedText {
  return { text: text.replaceAll('+', ' '), starts: undefined, disguised: undefined };
}

/** A part of a text, and how it reads. */
interface Again {
  readonly start: number;
  readonly mapped: MappedText;
}

function lookAgain({ start: from, mapped }: Again, look: Look, found: SecretMatch[]): void {
  if (look.budget.escapes <= 0) return;
  look.budget.escapes -= mapped.text.length;
  const again = surveyRuns(mapped.text);
  for (const match of [...look.find(mapped.text, again), ...lookInto(mapped.text, again, look)]) {
    // Also what stands there as it is: `%3D` before a key makes it a part of a word.
    const [start, end] = toOriginal(mapped, match.start, match.end);
    found.push({ ...match, start: start + from, end: end + from });
  }
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
  return [...found, ...findReversed(text, survey, look.find), ...lookInto(text, survey, look)];
}

/** Escapes, and characters that are not seen or stand for ASCII ones (full-width, mathematical, enclosed, tags). */
const DISGUISE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /%(?:[0-9a-fA-F]{2}|u[0-9a-fA-F])|\\(?:[uUx][0-9a-fA-F{]|[0-7]{2}|[bfnrt](?=[A-Za-z0-9_.+/-]{8}|[A-Z\d]{4} \d)|[_.-])|&(?:#[0-9xX]|[A-Za-z]{2,20};)|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2460-\u24ff\ufeff\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a]|\u034f|[\ufe00-\ufe0f]|[A-Za-z0-9_][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z0-9_]|\ud835[\udc00-\udfff]|\ud83c[\udd10-\uddff]|\udb40[\udc00-\udfff]/g;
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
    // Numbers in groups have blanks.
    GROUPS.lastIndex = end;
    if (GROUPS.test(text)) end = GROUPS.lastIndex;
    DISGUISE.lastIndex = end;
    if (end - start >= MIN_RUN) runs.push({ start, end });
  }
  return runs;
}

const GROUPS = /(?: (?:[A-Z]{0,4}\d[A-Z\d]{1,6})){1,9}/y;
const MIN_RUN = 12;
const ESCAPED = /%(?:[0-9a-fA-F]{2}|u)|\\(?:[uUxbfnrt_.-]|[0-7]{2})|&[#a-zA-Z]/;

/** A run as it reads without escapes, or without what is not seen. Where both are, the next round takes the second. */
function readAgain(text: string): MappedText | undefined {
  return ESCAPED.test(text) ? decodeEscapes(text) : unfold(text);
}

/** What a part of a text says once it is decoded. */
interface Said extends Run {
  readonly said: string;
}

function saidIn(text: string, survey: Survey, budget: Look['budget']): readonly Said[] {
  const found: Said[] = [];
  for (const block of blocksOf(text, survey)) {
    const { start, end } = block;
    budget.bytes -= end - start;
    if (budget.bytes <= 0) break;
    for (const said of readBlock(block, budget)) found.push({ start, end, said });
  }
  return found;
}

/** No key is shorter, nor is a packed text that holds one. */
const SHORTEST_SAID = 15;

function readBlock({ bytes }: Block, budget: Look['budget']): readonly string[] {
  if (bytes.length < SHORTEST_SAID) return NOTHING_SAID;
  const wide = wideText(bytes);
  if (wide !== undefined) return [wide];
  const said = printableRuns(bytes);
  if (said.length > 0 || budget.inflated <= 0 || budget.packed <= 0) return said;
  budget.packed -= 1;
  const unpacked = inflate(bytes)?.bytes;
  if (unpacked === undefined) return said;
  budget.inflated -= unpacked.length;
  const inner = Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.length);
  return [...printableRuns(inner)];
}

const NOTHING_SAID: readonly string[] = Object.freeze([]);
const RUN = /[\t\n\r\x20-\x7e]{15,}/g;

/** Text inside bytes: all of it, or a piece between others. Random bytes have none of 15. */
function printableRuns(bytes: Buffer): readonly string[] {
  const isForeign = isUtf8(bytes) && bytes.some((byte) => byte > 0x7f);
  return isForeign ? [bytes.toString('utf8')] : (bytes.toString('latin1').match(RUN) ?? NOTHING_SAID);
}
