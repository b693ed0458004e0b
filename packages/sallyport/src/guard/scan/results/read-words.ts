import { foldDigits, knowRun, knowWord, mayBeWord, OVERRIDES, slipOf } from './know-words.ts';
import { JOINED } from './lexicon.ts';

/** The words of a text that do something, in order. Parallel arrays: 64 KB hold ten thousand words. */
export interface Words {
  readonly count: number;
  /** What the word does, see `lexicon.ts`. */
  readonly kinds: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Which word of the text it is, counted over all words. */
  readonly places: readonly number[];
  readonly sentences: readonly number[];
  readonly marks: readonly number[];
}

/** The word is a name such as `read_file` or `readFile`: a tool's, more often than not. */
export const IS_NAME = 1;
/** Written in capitals. */
export const IS_LOUD = 2;
/** A colon follows. */
export const IS_HEADING = 4;
/** An address of the web or of a mailbox. */
export const IS_ADDRESS = 8;
/** Not written as it is read: spaced, turned by 13 letters, with digits for letters. */
export const IS_DISGUISED = 16;

/** First in a tag or a bracket: `<IMPORTANT>`, `[SYSTEM]`, `<!-- SYSTEM`. */
export const IS_TAGGED = 32;

/** In a script without blanks. */
export const IS_JOINED = 64;

const UPPER = 1;
const LOWER = 2;
const DIGIT = 4;
const JOINT = 8;
const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  CLASSES[code] = /[A-Z]/.test(character)
    ? UPPER
    : /[a-z]/.test(character)
      ? LOWER
      : /\d/.test(character)
        ? DIGIT
        : character === '_'
          ? JOINT
          : 0;
}
const FOREIGN = 16;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$|^[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$/;
const MAX_NAME = 64;
/** More words that do something than any honest text of a megabyte has. */
const MAX_WORDS = 100_000;
/** No honest word is this long: it is several without blanks, or none. */
const RUN_TOGETHER = 25;
const MAX_RUN = 1_024;
/** Letters one by one, e.g. `i g n o r e`: fewer are an enumeration. */
const MIN_SPACED = 3;

class Reader {
  readonly text: string;
  readonly kinds: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly places: number[] = [];
  readonly sentences: number[] = [];
  readonly marks: number[] = [];
  place = 0;
  sentence = 0;
  /** Where the last word stood that sets something aside: words near it are read with one slip of the pen. */
  overrideAt = Number.NEGATIVE_INFINITY;

  constructor(text: string) {
    this.text = text;
  }

  add(kind: number, start: number, end: number, marks: number): void {
    if (this.kinds.length >= MAX_WORDS) return;
    if (OVERRIDES[kind] === 1) this.overrideAt = this.place;
    this.kinds.push(kind);
    this.starts.push(start);
    this.ends.push(end);
    this.places.push(this.place);
    this.sentences.push(this.sentence);
    this.marks.push(marks);
  }
}

/** @param text as it was written: its capitals tell who shouts. */
export function readWords(text: string): Words {
  const reader = new Reader(text);
  const { length } = text;
  for (let i = 0; i < length; ) {
    const seen = classOf(text.charCodeAt(i));
    if (seen === 0) {
      if (endsSentence(text, i)) reader.sentence++;
      i++;
      continue;
    }
    let end = i + 1;
    let all = seen;
    let inner = 0;
    for (let next = classOf(text.charCodeAt(end)); next !== 0; next = classOf(text.charCodeAt(end))) {
      inner |= next;
      all |= next;
      end++;
    }
    reader.place++;
    i = all === LOWER && isPlain(reader, i, end) ? end : readWord(reader, { start: i, end, all, inner });
  }
  const { kinds, starts, ends, places, sentences, marks } = reader;
  return { count: kinds.length, kinds, starts, ends, places, sentences, marks };
}

/** Of small letters alone, and none of those that do something: most words of most texts. */
function isPlain({ text, place, overrideAt }: Reader, start: number, end: number): boolean {
  const length = end - start;
  if (length === 1 || length >= RUN_TOGETHER || place - overrideAt <= 6 || mayBeWord(text, start, length)) return false;
  const follow = text.charCodeAt(end);
  // An apostrophe, the sign of a mailbox, a colon.
  return follow !== 0x27 && follow !== 0x2019 && follow !== 0x40 && follow !== 0x3a;
}

/** 0 for what is no part of a word, and past the end. */
function classOf(code: number): number {
  if (code < 0x80) return CLASSES[code] ?? 0;
  // Letters of other scripts; dashes, quotes and blanks of the general punctuation block are none.
  return (code >= 0xc0 && code < 0x2000) || (code >= 0x3040 && code < 0xd800) || code >= 0xff66 ? FOREIGN : 0;
}

function endsSentence(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code > 0x3f) return code === 0x3002 || code === 0xff01 || code === 0xff1f;
  if (code === 0x0a) {
    // An empty line, a list item, a heading or a row of a table begins a new sentence; a wrapped line does not.
    const next = text.charCodeAt(at + 1);
    return Number.isNaN(next) || next === 0x0a || next === 0x0d || '#-*|>'.includes(text[at + 1] ?? '');
  }
  if (code !== 0x2e && code !== 0x21 && code !== 0x3f) return false;
  const next = text.charCodeAt(at + 1);
  return Number.isNaN(next) || next <= 0x20 || next === 0x22 || next === 0x27 || next === 0x29 || next === 0x5c;
}

interface Word {
  readonly start: number;
  readonly end: number;
  /** Classes of all its characters, and of all but the first. */
  readonly all: number;
  readonly inner: number;
}

/** Returns where to go on. */
function readWord(reader: Reader, { start, end, all, inner }: Word): number {
  const { text } = reader;
  if ((all & FOREIGN) !== 0) return readForeign(reader, start, end);
  const length = end - start;
  if (length === 1) return readSpaced(reader, start);
  if (length >= RUN_TOGETHER && (all & JOINT) === 0) {
    readRun(reader, text.slice(start, Math.min(end, start + MAX_RUN)).toLowerCase(), { at: start, width: 1, marks: 0 });
    return end;
  }
  const stop = endOfApostrophe(text, end);
  const isMixed = (all & DIGIT) !== 0 && (all & (UPPER | LOWER)) !== 0;
  let kind = 0;
  let marks = 0;
  if (isMixed || stop !== end || reader.place - reader.overrideAt <= 6 || mayBeWord(text, start, length)) {
    const word = text.slice(start, stop).toLowerCase();
    const known = knowWord(stop === end ? word : word.replace(/['’]/, ''), isMixed);
    kind = known.kind;
    if (known.isDisguised) marks |= IS_DISGUISED;
    if (kind === 0 && reader.place - reader.overrideAt <= 6) kind = slipOf(word);
  }
  const mayBeName = (inner & (JOINT | UPPER)) !== 0 && (all & LOWER) !== 0 && length > 5 && length <= MAX_NAME;
  if (kind === 0 && mayBeName && NAME.test(text.slice(start, end))) marks |= IS_NAME;
  const follow = text.charCodeAt(stop);
  if (follow === 0x40 || (follow === 0x3a && text.startsWith('://', stop) && text.startsWith('http', start)))
    marks |= IS_ADDRESS;
  if (kind === 0 && (marks & ~IS_DISGUISED) === 0) return stop;
  if (follow === 0x3a || (follow === 0x2a && text.startsWith('**:', stop))) marks |= IS_HEADING;
  if (all === UPPER && length > 2) {
    marks |= IS_LOUD;
    if (/(?:<[/!-]{0,3}|\[|<!-- )$/.test(text.slice(Math.max(0, start - 5), start))) marks |= IS_TAGGED;
  }
  reader.add(kind, start, stop, marks);
  return stop;
}

/** "don't", "you're": one word, whichever apostrophe. */
function endOfApostrophe(text: string, end: number): number {
  const code = text.charCodeAt(end);
  if (code !== 0x27 && code !== 0x2019) return end;
  let tail = end + 1;
  while (tail - end <= 3 && (classOf(text.charCodeAt(tail)) & (UPPER | LOWER)) !== 0) tail++;
  return tail > end + 1 && tail - end <= 3 ? tail : end;
}

const SPACING: ReadonlySet<string> = new Set([' ', '.', '-', '*', '|', '/']);

/** Letters one by one are a word, or several. */
function readSpaced(reader: Reader, start: number): number {
  const { text } = reader;
  let letters = text[start] ?? '';
  let at = start;
  const gap = text[start + 1] ?? '';
  while (
    letters.length < MAX_RUN &&
    text[at + 1] === gap &&
    SPACING.has(gap) &&
    classOf(text.charCodeAt(at + 2)) !== 0 &&
    classOf(text.charCodeAt(at + 3)) === 0
  ) {
    at += 2;
    letters += text[at];
  }
  if (letters.length >= MIN_SPACED) {
    readRun(reader, letters.toLowerCase(), { at: start, width: 2, marks: IS_DISGUISED });
    return at + 1;
  }
  if (letters.charAt(0).toLowerCase() === 'i') reader.add(knowWord('i', false).kind, start, start + 1, 0);
  return start + 1;
}

/** The words that stand in a run of letters, the longest first at each place. */
function readRun(
  reader: Reader,
  letters: string,
  { at, width, marks }: { readonly at: number; readonly width: number; readonly marks: number },
): void {
  const run = foldDigits(letters);
  for (let i = 0; i < run.length; ) {
    const known = knowRun(run, i);
    if (known === undefined) {
      if (i % 5 === 4) reader.place++;
      i++;
      continue;
    }
    reader.place++;
    reader.add(known.kind, at + i * width, at + (i + known.length - 1) * width + 1, marks | IS_DISGUISED);
    i += known.length;
  }
}

function readForeign(reader: Reader, start: number, end: number): number {
  const word = reader.text.slice(start, Math.min(end, start + 4_096)).toLowerCase();
  if (!CJK.test(word)) {
    const { kind } = knowWord(word, false);
    if (kind !== 0) reader.add(kind, start, end, reader.text[end] === ':' ? IS_HEADING : 0);
    return end;
  }
  // No blanks between words: every two characters count as one.
  for (let i = 0; i < word.length; ) {
    const found = JOINED.get(word[i] ?? '')?.find(({ text }) => word.startsWith(text, i));
    if (found === undefined) {
      if (i % 2 === 0) reader.place++;
      i++;
      continue;
    }
    reader.place++;
    reader.add(found.kind, start + i, start + i + found.text.length, IS_JOINED);
    i += found.text.length;
  }
  return end;
}
