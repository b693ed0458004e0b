import type { Role } from '../../config/taint-section.ts';
import type { Call } from '../../core/call.ts';
import { decodeForms } from './decode-forms.ts';
import { findNumbers, findWords } from './find-words.ts';
import type { Printer } from './fingerprints.ts';
import { type Marks, privacyOf } from './labels.ts';
import { fold, MAX_TEXT } from './normalise.ts';
import { PrintList } from './print-list.ts';
import { addPieces, PIECE } from './read-result.ts';
import { roleOf } from './roles.ts';
import { toRowsOf } from './typed-words.ts';
import { type Leaf, walkLeaves } from './walk-leaves.ts';

/** From and up to, in the prints of the call. */
export type Range = readonly [number, number];

/** One argument, and where in the prints it is asked about. */
export interface AskedLeaf {
  readonly leaf: Leaf;
  readonly role: Role;
  /** The whole value; -1: too short to tell anything. */
  readonly whole: number;
  readonly words: Range;
  readonly grams: Range;
  /** Each part of it in pieces. */
  readonly pieces: readonly Range[];
  readonly rows: Range;
  readonly link: number;
  readonly id: number;
  /** Host of a link. */
  readonly host: number;
  /** Characters that can tell something. */
  readonly size: number;
}

export interface AskedCall {
  readonly prints: PrintList;
  readonly leaves: readonly AskedLeaf[];
  /** More than is looked at: nobody can say what is in it. */
  readonly isPartial: boolean;
}

/** Characters of all arguments of one call that are looked at. */
const MAX_ARGUMENTS = MAX_TEXT;
const MAX_ROWS_TEXT = 512;
const LONGEST_IN_PIECES = 64;

/** What has to be known of the arguments of a call: every text and number, plain and decoded, whole and in pieces. */
export function readCall(call: Call, printer: Printer, marks: Marks): AskedCall {
  const prints = new PrintList();
  const walk = walkLeaves(call.arguments);
  const into = { upstream: call.tool.upstream, printer, prints, marks };
  let left = MAX_ARGUMENTS;
  const leaves: AskedLeaf[] = [];
  for (const leaf of walk.leaves) {
    left -= leaf.text.length;
    if (left < 0) return { prints, leaves, isPartial: true };
    leaves.push(readLeaf(leaf, into));
  }
  const joined = privacyOf(marks) > 0 ? joinTexts(walk.leaves) : undefined;
  if (joined !== undefined) leaves.push(readLeaf(joined, into));
  return { prints, leaves, isPartial: walk.isPartial };
}

/** Data cut into several arguments or elements is one text again when they are read on end. */
function joinTexts(leaves: readonly Leaf[]): Leaf | undefined {
  const texts = leaves.filter(({ isNumber, isName, text }) => !isNumber && !isName && text.length < 64);
  if (texts.length < 2 || texts.length > 1_000) return undefined;
  const text = texts.map((leaf) => leaf.text).join('');
  return { path: [], key: '', text, isNumber: false, isName: true };
}

interface Into {
  readonly upstream: string;
  /** Of the run: what cannot matter is not looked at. */
  readonly marks: Marks;
  readonly printer: Printer;
  readonly prints: PrintList;
}

function readLeaf(leaf: Leaf, { upstream, printer, prints, marks }: Into): AskedLeaf {
  const { text, key } = leaf;
  const mark = (): number => prints.size;
  const one = (kind: 'value' | 'link' | 'id', value: string): number => {
    printer.add(kind, value, prints);
    return prints.size - 1;
  };
  const folded = fold(text);
  let whole = -1;
  if (folded.size >= 3 && folded.size <= 256) {
    whole = mark();
    printer.addCodes(folded, prints);
  }
  const forms = leaf.isNumber || marks === 0 ? [] : decodeForms(text);
  const words = mark();
  for (const form of [text, ...forms]) addWords(form, { printer, prints });
  const grams = mark();
  for (const form of [text, ...forms]) printer.addGrams(form === text ? folded : fold(form), prints, true);
  const rows = mark();
  if (marks !== 0 && text.length <= MAX_ROWS_TEXT && !leaf.isName)
    for (const row of toRowsOf(text)) printer.add('typed', row, prints);
  const end = mark();
  const pieces = privacyOf(marks) === 0 ? [] : addAllPieces([text, ...forms], { printer, prints });
  const role = leaf.isName ? 'other' : roleOf(key, text);
  const host = role === 'address' ? hostOf(text) : undefined;
  return {
    ...{ leaf, role, whole, pieces, size: folded.size },
    words: [words, grams],
    grams: [grams, rows],
    rows: [rows, end],
    link: role === 'address' ? one('link', text.trim()) : -1,
    id: text.length <= 128 ? one('id', `${upstream}\n${text}`) : -1,
    host: host === undefined ? -1 : one('value', host),
  };
}

function addWords(text: string, { printer, prints }: Pick<Into, 'printer' | 'prints'>): void {
  findWords(text, ({ text: word, isLink }) => {
    printer.add('value', word, prints);
    // A link carries values in its parts.
    if (isLink) for (const part of word.split(/[/?&=#:;,|]/)) if (part.length >= 5) printer.add('value', part, prints);
  });
  findNumbers(text, (number) => printer.add('value', number, prints));
}

/** The parts of a text that may each be a part of a private value. */
function addAllPieces(texts: readonly string[], { printer, prints }: Pick<Into, 'printer' | 'prints'>): Range[] {
  const ranges: Range[] = [];
  for (const text of texts) {
    if (text.length > 2_048) continue;
    for (const part of text.split(/[\s/?&=#:;,|"'<>()[\]{}]+/)) {
      if (part.length < PIECE || part.length > LONGEST_IN_PIECES) continue;
      const from = prints.size;
      if (addPieces(printer, part, prints) > 0) ranges.push([from, prints.size]);
    }
  }
  return ranges;
}

export function hostOf(text: string): string | undefined {
  const trimmed = text.trim();
  const withScheme = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  return URL.canParse(withScheme) ? new URL(withScheme).hostname : undefined;
}
