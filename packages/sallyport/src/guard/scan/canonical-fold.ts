import { foldCharacter } from '../../core/fold-text.ts';
import { createTextBuilder, type MappedText, type TextBuilder } from './mapped-text.ts';

export type MarkKind = 'tag' | 'variation' | 'invisible' | 'bidi' | 'ansi' | 'colour' | 'control' | 'private' | 'mixed';

/** Characters that a model reads and a person does not see, or sees as others. */
export interface Mark {
  readonly kind: MarkKind;
  readonly start: number;
  readonly end: number;
  /** What they say, where they spell something. */
  readonly decoded: string;
}

export interface Folded {
  readonly mapped: MappedText;
  readonly marks: readonly Mark[];
}

/** A text of nothing but marks would be a list as long as itself. Colours, which mean nothing, leave room for the others. */
const MAX_MARKS = 256;
/** ECMA-48: a control sequence; OSC, DCS, PM and APC, which hold text that a terminal does not show; a lone escape. */
const ANSI =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])([^\x07\x1b\x9c]{0,4096})(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]{0,16}[0-~]?/y;
/** A change of colour alone; 8 conceals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const COLOUR = /^(?:\x1b\[|\x9b)(?!(?:[\d;]{0,64};)?8m)[\d;:]{0,64}m$/;
/** Default-ignorable and blank characters: first and last of each range. */
const INVISIBLE: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200d],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
];
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const OVERRIDE = /[\u202d\u202e]/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const JOINER = /[\u200c\u200d]/;
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff\uff00-\uffef]/;

/** The text as it is read, lower case, and what was in it that is not seen. For texts that are not plain ASCII. */
export function foldWithMap(text: string): Folded {
  const builder = createTextBuilder(text.length);
  const marks: Mark[] = [];
  const hasRightToLeft = RIGHT_TO_LEFT.test(text);
  let word = { start: 0, plain: 0, alike: 0, other: 0 };
  let wasRemoved = false;
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0;
    if (code >= 0x20 && code < 0x7f) {
      const folded = foldCharacter(code);
      const isLetter = folded >= 'a' && folded <= 'z';
      if (!isLetter) word = endWord(word, i, marks);
      else {
        if (word.plain + word.alike + word.other === 0) word.start = i;
        word.plain += 1;
      }
      builder.add(folded, i, isLetter && wasRemoved && word.plain + word.alike > 1);
      wasRemoved = false;
      i += 1;
      continue;
    }
    const hidden = readHidden({ text, at: i, code, hasRightToLeft });
    if (hidden !== undefined) {
      if (hidden.mark !== undefined) addMark(marks, hidden.mark);
      wasRemoved = true;
      i = hidden.end;
      continue;
    }
    const width = code > 0xffff ? 2 : 1;
    i += addForeign({ builder, code, at: i, word, wasRemoved, width });
    if (word.plain + word.alike + word.other > 0 && !/[\p{L}\p{M}]/u.test(String.fromCodePoint(code)))
      word = endWord(word, i - width, marks);
    wasRemoved = false;
  }
  endWord(word, text.length, marks);
  return { mapped: builder.finish(text.length), marks };
}

interface Word {
  start: number;
  plain: number;
  alike: number;
  other: number;
}

interface Foreign {
  readonly builder: TextBuilder;
  readonly code: number;
  readonly at: number;
  readonly word: Word;
  readonly wasRemoved: boolean;
  readonly width: number;
}

function addForeign({ builder, code, at, word, wasRemoved, width }: Foreign): number {
  const folded = foldCharacter(code);
  const isAscii = folded.length > 0 && folded.charCodeAt(0) < 0x80 && folded >= 'a' && folded <= 'zz';
  const isAccented = code < 0x10000 && ACCENTED.test(String.fromCharCode(code));
  builder.add(folded, at, isAscii && (!isAccented || wasRemoved));
  if (folded === '') return width;
  if (word.plain + word.alike + word.other === 0) word.start = at;
  if (isAscii && !isAccented) word.alike += 1;
  else if (isAccented) word.plain += 1;
  else word.other += 1;
  return width;
}

/** Latin letters with lookalikes among them: nobody types that. Formulas do, in words of two or three letters. */
function endWord(word: Word, end: number, marks: Mark[]): Word {
  if (word.alike > 0 && word.plain >= 2 && word.plain + word.alike >= 4 && word.other === 0 && marks.length < MAX_MARKS)
    marks.push({ kind: 'mixed', start: word.start, end, decoded: '' });
  return word.plain + word.alike + word.other === 0 ? word : { start: end, plain: 0, alike: 0, other: 0 };
}

interface Place {
  readonly text: string;
  readonly at: number;
  readonly code: number;
  readonly hasRightToLeft: boolean;
}

interface Hidden {
  readonly end: number;
  /** `undefined`: it is not seen, and belongs where it stands. */
  readonly mark?: Mark | undefined;
}

function readHidden(place: Place): Hidden | undefined {
  const { text, at, code, hasRightToLeft } = place;
  if (code === 0x09 || code === 0x0a || code === 0x0d) return undefined;
  if (code < 0xa0) return readControl(place);
  if (code >= 0xe0000 && code <= 0xe007f) return readTags(text, at);
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return readSelectors(text, at);
  if (isPrivate(code)) {
    const end = at + (code > 0xffff ? 2 : 1);
    return { end, mark: { kind: 'private', start: at, end, decoded: '' } };
  }
  if (code > 0xffff) return undefined;
  const character = String.fromCharCode(code);
  const end = at + 1;
  if (BIDI.test(character)) {
    const isOrdinary = hasRightToLeft && !OVERRIDE.test(character);
    return { end, mark: isOrdinary ? undefined : { kind: 'bidi', start: at, end, decoded: '' } };
  }
  if (!INVISIBLE.some(([first, last]) => code >= first && code <= last)) return undefined;
  return { end, mark: isOrdinaryJoint(place) ? undefined : { kind: 'invisible', start: at, end, decoded: '' } };
}

/** Characters without a meaning of their own: whoever agreed on one reads it, nobody else does. */
function isPrivate(code: number): boolean {
  return (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
}

/** Where invisible characters belong: a mark at the start of a file, hyphenation, joiners in emoji and in scripts that need them. */
function isOrdinaryJoint({ text, at, code }: Place): boolean {
  if (code === 0xfeff && at === 0) return true;
  if (code === 0xad) return true;
  if (!JOINER.test(text.charAt(at))) return false;
  const before = text.slice(Math.max(0, at - 2), at);
  if (EMOJI_BEFORE.test(before)) return true;
  return (before.charCodeAt(before.length - 1) || 0) >= 0x0590 && (text.charCodeAt(at + 1) || 0) >= 0x0590;
}

function readControl({ text, at, code }: Place): Hidden {
  if (code === 0x1b || code >= 0x90) {
    ANSI.lastIndex = at;
    const match = ANSI.exec(text);
    if (match !== null && match[0].length > 0) {
      const end = at + match[0].length;
      const kind = COLOUR.test(match[0]) ? 'colour' : 'ansi';
      return { end, mark: { kind, start: at, end, decoded: match[1] ?? '' } };
    }
  }
  return { end: at + 1, mark: { kind: 'control', start: at, end: at + 1, decoded: '' } };
}

/** U+E0000 to U+E007F mirror ASCII and show nothing. Their one use is the flags of regions: a black flag, a code, a cancel tag. */
function readTags(text: string, at: number): Hidden {
  let decoded = '';
  let end = at;
  for (let code = text.codePointAt(end) ?? 0; code >= 0xe0000 && code <= 0xe007f; code = text.codePointAt(end) ?? 0) {
    const ascii = code - 0xe0000;
    if (ascii >= 0x20 && ascii < 0x7f) decoded += String.fromCharCode(ascii);
    end += 2;
  }
  const isFlag = text.slice(Math.max(0, at - 2), at) === '\u{1f3f4}' && /^[a-z0-9]{3,6}$/.test(decoded);
  return { end, mark: isFlag ? undefined : { kind: 'tag', start: at, end, decoded } };
}

/** One selector chooses a glyph. More of them choose nothing and can carry bytes (P. Butler, "Smuggling arbitrary data through an emoji", 2025). */
function readSelectors(text: string, at: number): Hidden {
  const bytes: number[] = [];
  let end = at;
  for (;;) {
    const code = text.codePointAt(end) ?? 0;
    if (code >= 0xfe00 && code <= 0xfe0f) bytes.push(code - 0xfe00);
    else if (code >= 0xe0100 && code <= 0xe01ef) bytes.push(code - 0xe0100 + 16);
    else break;
    end += code > 0xffff ? 2 : 1;
  }
  if (bytes.length < 2) return { end };
  return {
    end,
    mark: { kind: 'variation', start: at, end, decoded: new TextDecoder().decode(Uint8Array.from(bytes)) },
  };
}

/** Marks of one kind side by side are one: a hidden sentence is not a hundred findings. */
function addMark(marks: Mark[], mark: Mark): void {
  const last = marks.at(-1);
  if (last !== undefined && last.kind === mark.kind && last.end === mark.start)
    marks[marks.length - 1] = { ...last, end: mark.end, decoded: last.decoded + mark.decoded };
  else if (marks.length < MAX_MARKS || (mark.kind !== 'colour' && marks.length < MAX_MARKS * 2)) marks.push(mark);
}
