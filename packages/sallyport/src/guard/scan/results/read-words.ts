import { classesOf, type Ranges, toUnits } from '../../decode/text-units.ts';
import { isIdentifier } from './is-identifier.ts';
import {
  type Known,
  knowCut,
  knowMixed,
  knowRun,
  knowUnits,
  knowWord,
  mayKnow,
  NOTHING_KNOWN,
  OVERRIDES,
  slipOf,
} from './know-words.ts';
import { JOINED } from './lexicon.ts';
import { IS_ADDRESS, IS_DISGUISED, IS_HEADING, IS_JOINED, IS_LOUD, IS_NAME, IS_TAGGED, type Words } from './words.ts';

const UPPER = 1;
const LOWER = 2;
const DIGIT = 4;
const JOINT = 8;
const FOREIGN = 16;
const LETTER = UPPER | LOWER;
/** All that words are made of. */
const PART = UPPER | LOWER | DIGIT | JOINT | FOREIGN;
/** May end a sentence. */
const STOP = 32;
/** Begins a line that is something of its own. */
const BEGINS = 64;
/** Follows a word and may be a part of it, of an address, or make it a heading. */
const SIGN = 128;
/** Letters of other scripts; dashes, quotes and blanks of the general punctuation block are none. */
const LETTERS: Ranges = [
  [0xc0, 0x1fff],
  [0x3040, 0xd7ff],
  [0xff66, 0xffff],
];
/** Full stops, and signs of full width. */
const STOPS: Ranges = [
  [0x3002, 0x3002],
  [0xff01, 0xff01],
  [0xff1f, 0xff1f],
];
const CLASSES = classesOf(classOf, [
  [FOREIGN, LETTERS],
  [STOP, STOPS],
  [SIGN, [[0x2019, 0x2019]]],
]);

function classOf(character: string): number {
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[a-z]/.test(character)) return LOWER;
  if (/\d/.test(character)) return DIGIT;
  if (character === '_') return JOINT;
  if ('\n.!?'.includes(character)) return STOP;
  if ('#-*|>'.includes(character)) return BEGINS;
  return "':@".includes(character) ? SIGN : 0;
}

const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const MAX_NAME = 64;
/** More words that do something than any honest text of a megabyte has. */
const MAX_WORDS = 100_000;
/** No honest word is this long: it is several without blanks, or none. */
const RUN_TOGETHER = 25;
const MAX_RUN = 1_024;
/** Letters one by one, e.g. `i g n o r e`: fewer are an enumeration. */
const MIN_SPACED = 3;

/** Words. */
const NEAR = 6;

class Reader {
  readonly text: string;
  readonly units: Uint16Array;
  readonly kinds: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly places: number[] = [];
  readonly sentences: number[] = [];
  readonly marks: number[] = [];
  place = 0;
  sentence = 0;
  /** Where the last word stood that sets something aside: words near it are read with one slip of the pen. */
  overrideAt = -MAX_WORDS;

  constructor(text: string, units: Uint16Array) {
    this.text = text;
    this.units = units;
  }

  /** Near a word that sets something aside. */
  get isNear(): boolean {
    return this.place - this.overrideAt <= NEAR;
  }

  /** What a unit is in a word; 0: no part of one, or past the end. */
  classAt(at: number): number {
    return at < this.units.length ? (CLASSES[this.units[at] ?? 0] ?? 0) & PART : 0;
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

/** @param text as it was written: its capitals tell who shouts. @param units its own */
export function readWords(text: string, units = toUnits(text)): Words {
  const reader = new Reader(text, units);
  const { length } = units;
  const word: Word = { start: 0, end: 0, stop: 0, all: 0, inner: 0, known: NOTHING_KNOWN, isName: false };
  // Counted here: half of the words need nothing else.
  let place = 0;
  let sentence = 0;
  for (let i = 0; i < length; ) {
    const first = CLASSES[units[i] ?? 0] ?? 0;
    if ((first & PART) === 0) {
      if ((first & STOP) !== 0 && endsSentence(units, i)) sentence++;
      i++;
      continue;
    }
    let end = i + 1;
    let inner = 0;
    let next = 0;
    while (end < length) {
      next = CLASSES[units[end] ?? 0] ?? 0;
      if ((next & PART) === 0) break;
      inner |= next;
      end++;
    }
    place++;
    const all = first | inner;
    const size = end - i;
    // A number, or a word that begins, ends and lasts as none of the lexicon does, and is no name.
    const isNothing =
      (next & SIGN) === 0 &&
      size > 1 &&
      size < RUN_TOGETHER &&
      (all === DIGIT || ((all & ~LETTER) === 0 && (inner & UPPER) === 0 && !mayKnow(units, i, end)));
    if (isNothing && place - reader.overrideAt > NEAR) {
      i = end;
      continue;
    }
    reader.place = place;
    reader.sentence = sentence;
    word.start = i;
    word.end = end;
    word.all = all;
    word.inner = inner;
    i = readWord(reader, word);
    place = reader.place;
  }
  const { kinds, starts, ends, places, sentences, marks } = reader;
  const count = kinds.length;
  return { count, kinds, starts, ends, places, sentences, marks, cutAt: count < MAX_WORDS ? undefined : starts.at(-1) };
}

/** @param at where a sign or a new line stands that may end one */
function endsSentence(units: Uint16Array, at: number): boolean {
  const code = units[at] ?? 0;
  if (code > 0x3f || at + 1 >= units.length) return true;
  const next = units[at + 1] ?? 0;
  // An empty line, a list item, a heading or a row of a table begins a new sentence; a wrapped line does not.
  if (code === 0x0a)
    return next === 0x0a || next === 0x0d || (((CLASSES[next] ?? 0) & BEGINS) !== 0 && !goesOn(units, at));
  return next <= 0x20 || closes(next);
}

/** Quotes, a bracket and a backslash may follow the sign that ends a sentence, as blanks do. */
function closes(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x29 || code === 0x5c;
}

/** Lines of quoted mail and of comments: a sentence goes on behind the sign that each of them begins with. */
function goesOn(units: Uint16Array, at: number): boolean {
  const before = CLASSES[units[at - 1] ?? 0] ?? 0;
  let i = at + 1;
  while (i < at + MAX_PREFIX && PREFIX.has(units[i] ?? 0)) i++;
  return i > at + 1 && (before & LETTER) !== 0 && ((CLASSES[units[i] ?? 0] ?? 0) & LOWER) !== 0;
}

/** `>`, `#` and the blank behind them. */
const PREFIX: ReadonlySet<number> = new Set([0x3e, 0x23, 0x20]);
const MAX_PREFIX = 8;

/** One for all words of a text: there are thousands. */
interface Word {
  start: number;
  end: number;
  /** With what stands behind an apostrophe. */
  stop: number;
  /** Classes of all its characters, and of all but the first. */
  all: number;
  inner: number;
  known: Known;
  isName: boolean;
}

/** Returns where to go on. Most words of most texts do nothing, so that is found out first, from codes alone. */
function readWord(reader: Reader, word: Word): number {
  const { units } = reader;
  const { start, end, all } = word;
  if ((all & FOREIGN) !== 0) return readForeign(reader, start, end);
  const length = end - start;
  if (length === 1) return readSpaced(reader, start);
  if (length >= RUN_TOGETHER && (all & JOINT) === 0) {
    // An identifier is a name, however long: what a function is called is no sentence to anybody.
    if ((word.inner & UPPER) !== 0 && isIdentifier(reader.text, start, end)) return end;
    const run = units.subarray(start, Math.min(end, start + MAX_RUN));
    readRun(reader, run, { at: start, width: 1, marks: 0 });
    return end;
  }
  const isMixed = (all & DIGIT) !== 0 && (all & LETTER) !== 0;
  const quote = units[end];
  const stop = quote === 0x27 || quote === 0x2019 ? endOfApostrophe(reader, end) : end;
  if (stop > end) word.known = knowCut(units, { start, quote: end, end: stop, isMixed });
  else word.known = isMixed ? knowMixed(units, start, end) : knowUnits(units, start, end);
  word.stop = stop;
  word.isName = word.known.kind === 0 && isName(units, word);
  const follow = units[stop];
  const isSign = follow === 0x40 || follow === 0x3a;
  return word.known.kind === 0 && !isSign && !word.isName && !reader.isNear ? stop : addWord(reader, word);
}

/** `read_file`, `read__file` or `readFile`, `ReadFile`. */
function isName(units: Uint16Array, { start, end, all, inner }: Word): boolean {
  const length = end - start;
  if ((inner & (JOINT | UPPER)) === 0 || (all & LOWER) === 0 || length <= 5 || length > MAX_NAME) return false;
  const first = CLASSES[units[start] ?? 0] ?? 0;
  if ((all & JOINT) !== 0) return (all & UPPER) === 0 && first === LOWER && isJoinedName(units, start, end);
  // Capitals within, each behind a small letter or a digit and none at the end.
  if ((first & DIGIT) !== 0) return false;
  let last = 0;
  for (let i = start + 1; i < end; i++) {
    const next = CLASSES[units[i] ?? 0] ?? 0;
    if (next === UPPER && (last === UPPER || i === start + 1)) return false;
    last = next;
  }
  return last !== UPPER;
}

/** One or two signs between its parts, none at the end. */
function isJoinedName(units: Uint16Array, start: number, end: number): boolean {
  let joints = 0;
  for (let i = start + 1; i < end; i++) {
    joints = units[i] === UNDERSCORE ? joints + 1 : 0;
    if (joints > 2) return false;
  }
  return joints === 0;
}

const UNDERSCORE = 0x5f;

function addWord(reader: Reader, word: Word): number {
  const { text, units } = reader;
  const { start, end, stop, all, known } = word;
  let marks = known.isDisguised ? IS_DISGUISED : 0;
  const isSlip = known.kind === 0 && reader.isNear;
  const kind = isSlip ? slipOf(text.slice(start, stop).toLowerCase()) : known.kind;
  if (kind === 0 && word.isName) marks |= IS_NAME;
  const follow = units[stop];
  if (
    follow === 0x40 ||
    (follow === 0x3a && units[stop + 1] === 0x2f && text.startsWith('://', stop) && text.startsWith('http', start))
  )
    marks |= IS_ADDRESS;
  if (kind === 0 && (marks & ~IS_DISGUISED) === 0) return stop;
  if (follow === 0x3a || (follow === 0x2a && text.startsWith('**:', stop))) marks |= IS_HEADING;
  if (all === UPPER && end - start > 2) {
    marks |= IS_LOUD;
    if (/(?:<[/!-]{0,3}|\[|<!-- )$/.test(text.slice(Math.max(0, start - 5), start))) marks |= IS_TAGGED;
  }
  reader.add(kind, start, stop, marks);
  return stop;
}

/** "don't", "you're": one word, whichever apostrophe. */
function endOfApostrophe(reader: Reader, end: number): number {
  let tail = end + 1;
  while (tail - end <= 3 && (reader.classAt(tail) & LETTER) !== 0) tail++;
  return tail > end + 1 && tail - end <= 3 ? tail : end;
}

const SPACING: ReadonlySet<number> = new Set([...' .-*|/,~+;\n'].map((sign) => sign.charCodeAt(0)));
const SPACE = 0x20;

/** Where the last one of characters stands that have the same between them; `step` apart. */
function endOfSpaced({ units }: Reader, start: number, isOne: (at: number) => boolean): { at: number; step: number } {
  const gap = start + 1 < units.length ? (units[start + 1] ?? 0) : 0;
  const step = gap !== SPACE && units[start + 2] === SPACE ? 3 : 2;
  let at = start;
  if (SPACING.has(gap))
    while (
      at - start < step * (MAX_RUN - 1) &&
      units[at + 1] === gap &&
      (step === 2 || units[at + 2] === SPACE) &&
      isOne(at + step)
    )
      at += step;
  return { at, step };
}

/** Where letters stand one in each line, an empty line is a blank and ends no sentence. */
function behindLines(units: Uint16Array, at: number): number {
  let end = at;
  while (end < at + MAX_LINES && units[end] === LINE_FEED) end++;
  return end;
}

const LINE_FEED = 0x0a;
const MAX_LINES = 3;

/** Letters one by one are a word, or several. */
function readSpaced(reader: Reader, start: number): number {
  const { text, units } = reader;
  const isOne = (at: number) => reader.classAt(at) !== 0 && reader.classAt(at + 1) === 0;
  const { at, step } = endOfSpaced(reader, start, isOne);
  if ((at - start) / step + 1 >= MIN_SPACED) {
    let letters = '';
    for (let i = start; i <= at; i += step) letters += text[i];
    readRun(reader, toUnits(letters.toLowerCase()), { at: start, width: step, marks: IS_DISGUISED });
    return units[start + 1] === LINE_FEED ? behindLines(units, at + 1) : at + 1;
  }
  if (units[start] === 0x69 || units[start] === 0x49) reader.add(ONE, start, start + 1, 0);
  return start + 1;
}

/** "I". */
const ONE = knowWord('i', false).kind;

/** How letters stand in the text, and what is said of their words. */
interface Spread {
  readonly at: number;
  /** From one to the next. */
  readonly width: number;
  readonly marks: number;
}

/** The words that stand in a run of letters, the longest first at each place. */
function readRun(reader: Reader, run: Uint16Array, { at, width, marks }: Spread): void {
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
  if (end - start > 1) {
    readJoined(reader, word, { at: start, width: 1, marks: IS_JOINED });
    return end;
  }
  const isOne = (at: number) => CJK.test(reader.text.charAt(at)) && reader.classAt(at + 1) === 0;
  const { at, step } = endOfSpaced(reader, start, isOne);
  let letters = '';
  for (let i = start; i <= at; i += step) letters += reader.text[i];
  readJoined(reader, letters, { at: start, width: step, marks: at > start ? IS_JOINED | IS_DISGUISED : IS_JOINED });
  return at + 1;
}

/** No blanks between words: every two characters count as one. */
function readJoined(reader: Reader, word: string, { at, width, marks }: Spread): void {
  for (let i = 0; i < word.length; ) {
    const found = JOINED.get(word[i] ?? '')?.find(({ text }) => word.startsWith(text, i));
    if (found === undefined) {
      if (i % 2 === 0) reader.place++;
      i++;
      continue;
    }
    reader.place++;
    reader.add(found.kind, at + i * width, at + (i + found.text.length - 1) * width + 1, marks);
    i += found.text.length;
  }
}
