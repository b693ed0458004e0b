import { CLASS, NAMES } from './sign-bits.ts';
import { SIGN_WORDS } from './sign-words.ts';

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

/** Small letters alone, as most words are: making them small costs more than all else that is done with one. */
function isPlain(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 0x61 || code > 0x7a) return false;
  }
  return true;
}

/** Lengths of known words by their first two letters: most words of a text are no match, and need not be cut out. */
const LENGTHS = new Int32Array(32 * 32);
for (const word of WORDS.keys())
  if (/^[a-z]{2}/.test(word)) {
    const at = placeOf(word, 0);
    LENGTHS[at] = (LENGTHS[at] ?? 0) | (1 << Math.min(31, word.length));
  }

function placeOf(text: string, at: number): number {
  return (text.charCodeAt(at) & 31) * 32 + (text.charCodeAt(at + 1) & 31);
}

/** What the word at this place does. */
export function bitsOf(text: string, start: number, end: number): number {
  const isLatin = text.charCodeAt(start) < 0x80 && text.charCodeAt(start + 1) < 0x80;
  // With an apostrophe it is one letter shorter.
  const lengths = isLatin ? (LENGTHS[placeOf(text, start)] ?? 0) : -1;
  const length = Math.min(31, end - start);
  if ((lengths & ((1 << length) | (1 << (length - 1)))) === 0) return 0;
  return WORDS.get(toPlain(text.slice(start, end))) ?? 0;
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
