import type { Role } from '../../config/taint-section.ts';
import { definitionOf, type Envelope } from '../../core/envelope.ts';
import { decodeForms } from './decode-forms.ts';
import { undisguise } from './disguises.ts';
import { findNumbers, findWords, originOf } from './find-words.ts';
import type { Printer } from './fingerprints.ts';
import { type Marks, privacyOf } from './labels.ts';
import { fold, foldBriefly, MAX_TEXT, wipe } from './normalise.ts';
import { toPlainNumber } from './number-words.ts';
import { type AskedOpaque, askOpaque, SHORTEST_SAMPLED, sampleOf } from './opaque.ts';
import { MAIL, otherForms } from './other-forms.ts';
import { borrowList, giveBack, type PrintList } from './print-list.ts';
import { isOfProtocol } from './protocol-words.ts';
import { addPieces, PIECE } from './read-result.ts';
import { roleOf } from './roles.ts';
import { freeNames, joinLeaves, type SplitTails } from './split-tails.ts';
import { ROW, toTypedWords } from './typed-words.ts';
import { type Leaf, pathOf, toPointer, walkLeaves } from './walk-leaves.ts';

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
  /** Those of `grams` that it holds in an encoding. */
  readonly encoded: Range;
  /** Each part of it in pieces. */
  readonly pieces: readonly Range[];
  readonly rows: Range;
  readonly link: number;
  /** Scheme and host of a link; -1: it is none. */
  readonly origin: number;
  readonly id: number;
  /** Host of a link. */
  readonly host: number;
  /** Other ways to write the value, and their prints. */
  readonly others: readonly string[];
  readonly forms: Range;
  /** What in it nobody can read; looked for once private data was read. */
  readonly opaque: readonly AskedOpaque[];
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
/** Longer arguments are documents, of which each piece would be kept. Characters. */
export const MAX_KEPT_TEXT = 4_096;
const LONGEST_IN_PIECES = 64;

/** What the arguments of a call are read for. */
export interface CallReading {
  readonly printer: Printer;
  /** Of the run: what cannot matter is not looked at. */
  readonly marks: Marks;
  /** A rule may decide about a value of this role. */
  readonly isJudged: (about: Pick<AskedLeaf, 'leaf' | 'role'>) => boolean;
  /** Values that no rule decides about may still be kept as the client's own. */
  readonly isKept: boolean;
  readonly prints: PrintList;
  readonly tails: SplitTails;
}

/**
 * What has to be known of the arguments of a call: of texts and numbers that a rule decides about, plain and decoded, whole
 * and in pieces; of others only what is kept of them.
 */
export function readCall(call: Envelope, reading: CallReading): AskedCall {
  const { prints, marks } = reading;
  const walk = walkLeaves(call.body);
  const { upstream } = call;
  let left = MAX_ARGUMENTS;
  const leaves: AskedLeaf[] = [];
  const given = call.kind === 'client_response' ? walk.leaves.filter((leaf) => !isOfProtocol(leaf)) : walk.leaves;
  for (const leaf of given) {
    left -= leaf.text.length;
    if (left < 0) return { prints, leaves, isPartial: true };
    const role = leaf.isName ? 'other' : roleOf(leaf.key, leaf.text);
    if (reading.isJudged({ leaf, role })) leaves.push(readLeaf(leaf, { role, upstream }, reading));
    else if (reading.isKept && leaf.text.length <= MAX_KEPT_TEXT) leaves.push(readOwn(leaf, role, reading));
  }
  if (privacyOf(marks) > 0 && reading.isJudged(JOINED))
    for (const said of joinedTexts(call, given, reading.tails)) leaves.push(readJoined(said, upstream, reading));
  return { prints, leaves, isPartial: walk.isPartial };
}

/** Stands for what is read of all of them. */
const JOINED = { leaf: { place: undefined, key: '', text: '', isNumber: false, isName: true }, role: 'other' } as const;

/** What several arguments say together, or one with the ones before. */
interface Joined {
  /** Of earlier calls, and judged with them. */
  readonly before: string;
  readonly said: string;
  /** Not read in disguise: one of a call is, the longest that its server was told, and each takes a millisecond. */
  readonly isPlain: boolean;
}

/** Arguments of one call that are each followed from call to call. */
const MAX_FOLLOWED = 4;

function joinedTexts(call: Envelope, leaves: readonly Leaf[], tails: SplitTails): readonly Joined[] {
  const joined = joinLeaves(leaves, freeNames(call.body, definitionOf(call)['inputSchema']));
  const texts = leaves.filter(({ isName }) => !isName);
  const said = joined ?? texts[0]?.text ?? '';
  const found = new Map<string, Joined>();
  const { upstream } = call;
  const follow = (key: string, text: string): void => {
    for (const before of tails.follow(`${call.run}\n${key}`, text)) {
      const at = `${before}\n${text}`;
      if (!found.has(at)) found.set(at, { before, said: text, isPlain: found.size > 0 });
    }
  };
  follow(upstream, said);
  follow('', said);
  // A recipient or a language beside it, the same in every call, would stand between the parts.
  if (texts.length > 1)
    for (const leaf of texts.slice(0, MAX_FOLLOWED)) follow(`${upstream}\n${toPointer(pathOf(leaf))}`, leaf.text);
  return joined === undefined ? [...found.values()] : [{ before: '', said: joined, isPlain: false }, ...found.values()];
}

/** Only what is new with this call counts: what was said before was let through or stopped for itself. */
function readJoined({ before, said, isPlain }: Joined, upstream: string, reading: CallReading): AskedLeaf {
  const leaf = { place: undefined, key: '', text: `${before}${said}`, isNumber: false, isName: true };
  const about = { role: 'other', upstream } as const;
  if (before === '') return readLeaf(leaf, about, reading);
  const old = borrowList();
  readLeaf({ ...leaf, text: before }, { ...about, forms: NO_FORMS }, { ...reading, prints: old });
  const known = new Set<number>();
  for (let i = 0; i < old.size; i++) known.add(toNumber(old, i));
  giveBack(old);
  const { prints } = reading;
  const asked = readLeaf(leaf, isPlain ? { ...about, forms: NO_FORMS } : about, reading);
  const isNew = ([from, to]: Range): boolean => {
    for (let i = from; i < to; i++) if (!known.has(toNumber(prints, i))) return true;
    return false;
  };
  return {
    ...asked,
    words: moveNew(asked.words, prints, known),
    grams: moveNew(asked.grams, prints, known),
    pieces: asked.pieces.filter(isNew),
  };
}

/** @returns the part of the range with what is not known, which now stands first */
function moveNew([from, to]: Range, prints: PrintList, known: ReadonlySet<number>): Range {
  let end = from;
  for (let i = from; i < to; i++) if (!known.has(toNumber(prints, i))) prints.swap(i, end++);
  return [from, end];
}

/** Of the 64 bits of a print as many as a number holds. */
function toNumber({ high, low }: PrintList, index: number): number {
  return (high[index] ?? 0) * 0x20_0000 + ((low[index] ?? 0) >>> 11);
}

interface About {
  readonly role: Role;
  readonly upstream: string;
  /** What it says in disguise. Left out: that is found out. */
  readonly forms?: readonly string[];
}

/** Everything that a rule may ask about. */
function readLeaf(leaf: Leaf, { role, upstream, forms: given }: About, reading: CallReading): AskedLeaf {
  const { printer, prints, marks } = reading;
  const { text } = leaf;
  const forms = given ?? (leaf.isNumber || marks === 0 ? NO_FORMS : formsOf(text, marks));
  const plain = readPlain(text, forms, reading);
  const from = prints.size;
  if (marks !== 0 && text.length <= MAX_ROWS_TEXT && !leaf.isName) printer.addRows(toTypedWords(text), ROW, prints);
  const end = prints.size;
  const pieces = privacyOf(marks) === 0 ? NO_RANGES : addAllPieces([text, ...forms], { printer, prints });
  const link = role === 'address' ? addOne('link', text.trim(), reading) : -1;
  const id = text.length <= 320 ? addOne('id', `${upstream}\n${idOf(text, role)}`, reading) : -1;
  const host = addHost(text, role, reading);
  const origin = role === 'address' ? addOne('link', originOf(text.trim()), reading) : -1;
  const others = addForms(leaf, role, reading);
  // What is joined for this is no argument.
  const isOwn = leaf.place !== undefined && !leaf.isNumber;
  const opaque = isOwn && privacyOf(marks) > 0 ? askOpaque(text, reading) : NO_OPAQUE;
  return { leaf, role, ...plain, rows: [from, end], pieces, link, origin, id, host, ...others, opaque };
}

function addForms({ text, isName }: Leaf, role: Role, reading: CallReading): Pick<AskedLeaf, 'others' | 'forms'> {
  const others = isName ? NO_FORMS : otherForms(text, role);
  const from = reading.prints.size;
  for (const form of others) reading.printer.add('form', form, reading.prints);
  return { others, forms: [from, reading.prints.size] };
}

/** "Bob <bob@x.example>" is bob@x.example. */
function idOf(text: string, role: Role): string {
  if (role !== 'recipient' || !text.includes('@')) return text;
  const mails = text.match(MAIL);
  return mails?.length === 1 ? (mails[0] ?? text).toLowerCase() : text;
}

/** Private data may leave in any disguise; of what is only untrusted, what it decides must stand there as it is used. */
function formsOf(text: string, marks: Marks): readonly string[] {
  const decoded = decodeForms(text);
  return privacyOf(marks) === 0 ? decoded : [...decoded, ...undisguise(text)];
}

/** What is kept as the client's own. */
function readOwn(leaf: Leaf, role: Role, reading: CallReading): AskedLeaf {
  const { marks } = reading;
  const forms = leaf.isNumber || marks === 0 ? NO_FORMS : formsOf(leaf.text, marks);
  const plain = readPlain(leaf.text, forms, reading);
  const pieces = privacyOf(marks) === 0 ? NO_RANGES : addAllPieces([leaf.text, ...forms], reading);
  const host = addHost(leaf.text, role, reading);
  return {
    leaf,
    role,
    ...plain,
    rows: NO_RANGE,
    pieces,
    link: -1,
    origin: -1,
    id: -1,
    host,
    ...addForms(leaf, role, reading),
    opaque: NO_OPAQUE,
  };
}

const NO_FORMS: readonly string[] = Object.freeze([]);
const NO_OPAQUE: readonly AskedOpaque[] = Object.freeze([]);
const NO_RANGE: Range = Object.freeze([0, 0] as const);
const NO_RANGES: readonly Range[] = Object.freeze([]);

function readPlain(
  text: string,
  forms: readonly string[],
  { printer, prints }: CallReading,
): Pick<AskedLeaf, 'whole' | 'words' | 'grams' | 'encoded' | 'size'> {
  const folded = foldBriefly(text);
  const { size } = folded;
  let whole = -1;
  if (size >= 3 && size <= 256) {
    whole = prints.size;
    printer.addCodes(folded, prints);
  }
  const words = prints.size;
  addWords(text, { printer, prints });
  if (text.length >= SHORTEST_SAMPLED) printer.add('value', sampleOf(text), prints);
  for (const form of forms) {
    addWords(form, { printer, prints });
    addWhole(form, { printer, prints });
  }
  const grams = prints.size;
  printer.addGrams(folded, prints, true);
  wipe(folded);
  const encoded = prints.size;
  for (const form of forms) printer.addGrams(fold(form), prints, true);
  return { whole, size, words: [words, grams], grams: [grams, prints.size], encoded: [encoded, prints.size] };
}

/** A form is a value where it is one as a whole; short ones are there by chance. */
const SHORTEST_FORM = 6;

function addWhole(form: string, { printer, prints }: Pick<CallReading, 'printer' | 'prints'>): void {
  if (form.length > 512) return;
  const folded = fold(form);
  if (folded.size >= SHORTEST_FORM && folded.size <= 256) printer.addCodes(folded, prints);
}

function addOne(kind: 'value' | 'link' | 'id', value: string, { printer, prints }: CallReading): number {
  printer.add(kind, value, prints);
  return prints.size - 1;
}

function addHost(text: string, role: Role, reading: CallReading): number {
  const host = role === 'address' ? hostOf(text) : undefined;
  return host === undefined ? -1 : addOne('value', host, reading);
}

function addWords(text: string, { printer, prints }: Pick<CallReading, 'printer' | 'prints'>): void {
  findWords(text, ({ text: word, isLink }) => {
    printer.add('value', word, prints);
    const plain = toPlainNumber(word);
    if (plain !== undefined) printer.add('value', plain, prints);
    // A link carries values in its parts.
    if (isLink) for (const part of word.split(/[/?&=#:;,|]/)) if (part.length >= 5) printer.add('value', part, prints);
  });
  findNumbers(text, (number) => printer.add('value', number, prints));
}

/** The parts of a text that may each be a part of a private value. */
function addAllPieces(texts: readonly string[], { printer, prints }: Pick<CallReading, 'printer' | 'prints'>): Range[] {
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
