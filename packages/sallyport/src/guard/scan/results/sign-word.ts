import { CLASS, NAMES } from './sign-bits.ts';
import { SIGN_WORDS } from './sign-words.ts';
import { Outlines, placeOf } from './word-table.ts';

const WORDS = new Map<string, number>();
/** Of scripts without blanks, by the first character, the longer ones first. */
const JOINED = new Map<string, [string, number][]>();
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
for (const name of NAMES)
  for (const word of SIGN_WORDS[name].split(' ')) WORDS.set(word, (WORDS.get(word) ?? 0) | CLASS[name]);
for (const [word, bits] of WORDS)
  if (CJK.test(word)) {
    const list = JOINED.get(word.charAt(0)) ?? [];
    list.push([word, bits]);
    JOINED.set(
      word.charAt(0),
      list.sort((a, b) => b[0].length - a[0].length),
    );
  }

/** A word of a sentence, with what it may do: bits of `CLASS`. */
export class Word {
  readonly bits: number;
  readonly start: number;
  readonly end: number;
  /** Nothing of the clause stands before it. */
  readonly isFirst: boolean;
  readonly #whole: string;
  #text: string | undefined;

  constructor(whole: string, { bits, start, end, isFirst }: Pick<Word, 'bits' | 'start' | 'end' | 'isFirst'>) {
    this.#whole = whole;
    this.bits = bits;
    this.start = start;
    this.end = end;
    this.isFirst = isFirst;
  }

  /** As it is looked up. Most words are never asked for it. */
  get text(): string {
    this.#text ??= toPlain(this.#whole.slice(this.start, this.end));
    return this.#text;
  }
}

function toPlain(word: string): string {
  if (isPlain(word)) return word;
  const small = word.toLowerCase();
  return small.includes("'") || small.includes('’') ? small.replace(/['’]/g, '') : small;
}

/** Small letters alone, as most words are: making them small is slow where the text has a character beyond Latin-1. */
function isPlain(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 0x61 || code > 0x7a) return false;
  }
  return true;
}

/** Most words of a text are no match, and need not be cut out. */
const OUTLINES = new Outlines();
for (const word of WORDS.keys()) if (word.length > 1) OUTLINES.add(word);

function placeAt(text: string, at: number): number {
  return placeOf(text.charCodeAt(at), text.charCodeAt(at + 1));
}

/** What the word at this place does. */
export function bitsOf(text: string, start: number, end: number): number {
  const length = end - start;
  if (length > 1 && !isCut(text, end) && !OUTLINES.has(placeAt(text, start), placeAt(text, end - 2), length)) return 0;
  return WORDS.get(toPlain(text.slice(start, end))) ?? 0;
}

/** Is there an apostrophe, behind which a word has three letters at most? */
function isCut(text: string, end: number): boolean {
  for (let at = end - 4; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x27 || code === 0x2019) return true;
  }
  return false;
}

/** A word at this place of a script without blanks. */
export function joinedAt(text: string, at: number): readonly [string, number] | undefined {
  return JOINED.get(text.charAt(at))?.find(([word]) => text.startsWith(word, at));
}

/** Of a script without blanks. */
export function isJoined(code: number): boolean {
  return (code >= 0x3040 && code < 0xd800 && code !== 0x30fb) || code === 0x3005;
}

/** Does one of the next words do this? */
export function near(words: readonly Word[], at: number, far: number, wanted: number): boolean {
  for (let i = at + 1; i <= at + far && i < words.length; i++)
    if (((words[i] as Word).bits & wanted) !== 0) return true;
  return false;
}
