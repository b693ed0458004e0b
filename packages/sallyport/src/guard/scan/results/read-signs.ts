import { classesOf } from '../../decode/text-units.ts';
import { opensQuotation } from './is-told.ts';
import { toSigns } from './relate-words.ts';
import { CLASS, type Signs } from './sign-bits.ts';
import { bitsOf, isJoined, joinedAt, Word } from './sign-word.ts';

/** The sentences of a part of a text, with what stands in them. */
export function readSigns(text: string, from: number, to: number): readonly Signs[] {
  const sentences: Signs[] = [];
  let words: Word[] = [];
  let isFirst = true;
  let start = from;
  let symbols = 0;
  const close = (end: number) => {
    // More of a program's signs than a sentence has.
    if (words.length > 0)
      sentences.push(
        symbols > words.length * 0.6 ? NOTHING(start, end, words.length) : toSigns(text, words, { start, end }),
      );
    words = [];
    start = end;
    symbols = 0;
  };
  for (let at = from; at < to; ) {
    const code = text.charCodeAt(at);
    const kind = KINDS[code] as number; // True: the table has all units.
    if ((kind & LETTER) === 0) {
      const quoted = (kind & OPENS) !== 0 ? endOfQuotation(text, at) : 0;
      if (quoted > 0) {
        words.push(new Word(text, { bits: 0, start: at, end: quoted, isFirst }));
        isFirst = false;
        at = quoted;
        continue;
      }
      if ((kind & SYMBOL) !== 0) symbols++;
      if (isEnd(text, at)) {
        close(at + 1);
        isFirst = true;
      } else if ((kind & BREAK) !== 0 || (code === 0x2d && text.charCodeAt(at + 1) === 0x20)) isFirst = true;
      at++;
      continue;
    }
    if (isJoined(code)) {
      const found = joinedAt(text, at);
      if (found === undefined && isFiller(at, words.at(-1))) {
        at++;
        continue;
      }
      const end = at + (found?.[0].length ?? 1);
      words.push(new Word(text, { bits: found?.[1] ?? 0, start: at, end, isFirst }));
      if (found !== undefined && (found[1] & CLASS.must) === 0) isFirst = false;
      at = end;
      continue;
    }
    let end = at + 1;
    while (end < to && (isLetter(text.charCodeAt(end)) || isApostrophe(text, end)) && !isJoined(text.charCodeAt(end)))
      end++;
    words.push(new Word(text, { bits: bitsOf(text, at, end), start: at, end, isFirst }));
    isFirst = isFirst && isNumber(code);
    at = end;
  }
  close(to);
  return sentences;
}

const MAX_QUOTATION = 240;
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['«', '»'],
  ['「', '」'],
  ['"', '"'],
  ['`', '`'],
]);

/** Where a quotation within a sentence ends: what is quoted is not said. 0: none begins here. */
function endOfQuotation(text: string, at: number): number {
  const close = PAIRS.get(text.charAt(at));
  if (close === undefined) return 0;
  const isOpen = close !== '"' && (close !== '`' || text[at - 1] === ' ');
  if (!isOpen && !opensQuotation(text, at)) return 0;
  const part = text.slice(at + 1, at + MAX_QUOTATION);
  const stop = part.indexOf(close);
  return stop < 0 || part.lastIndexOf('\n', stop) >= 0 ? 0 : at + stop + 2;
}

function isLetter(code: number): boolean {
  return ((KINDS[code] ?? 0) & LETTER) !== 0;
}

function isNumber(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Two characters that are no word of ours count as one. */
function isFiller(at: number, last: Word | undefined): boolean {
  return last !== undefined && last.bits === 0 && last.end === at && at - last.start === 1;
}

function isApostrophe(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if ((code !== 0x27 && code !== 0x2019) || !isLetter(text.charCodeAt(at - 1)) || !isLetter(text.charCodeAt(at + 1)))
    return false;
  // "l'assistant", "d'IA" are two words; "don't", "I'm", "user's" are one.
  let tail = at + 1;
  while (isLetter(text.charCodeAt(tail)) && tail - at <= 4) tail++;
  return tail - at <= 4 && (isLetter(text.charCodeAt(at - 2)) || /[iI]/.test(text.charAt(at - 1)));
}

function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x0a || code === 0x3002 || code === 0xff01 || code === 0xff1f) return true;
  if (code !== 0x2e && code !== 0x21 && code !== 0x3f) return false;
  const next = text.charCodeAt(at + 1);
  return (
    Number.isNaN(next) ||
    next <= 0x20 ||
    next === 0x22 ||
    next === 0x27 ||
    next === 0x29 ||
    next === 0x5c ||
    next === 0x3c
  );
}

const LETTER = 1;
/** Opens a quotation. */
const OPENS = 2;
/** Of a program. */
const SYMBOL = 4;
/** A comma, a colon, a dash, a bracket, a quotation mark begin a clause. */
const BREAK = 8;
const KINDS = classesOf(
  (character) => (/\w/.test(character) ? LETTER : 0),
  [
    [
      LETTER,
      [
        [0xc0, 0x1fff],
        [0x3005, 0x3005],
        [0x3040, 0x30fa],
        [0x30fc, 0xd7ff],
      ],
    ],
  ],
);
for (const [kind, marks] of [
  [OPENS, '“«「"`'],
  [SYMBOL, '{}();=<>$\\'],
  [BREAK, ',:;()[]{}<>"“”«»|*#—–、，：；（）【】「」“”'],
] as const)
  for (const mark of marks) KINDS[mark.charCodeAt(0)] = (KINDS[mark.charCodeAt(0)] ?? 0) | kind;

const NOTHING = (start: number, end: number, words: number): Signs => ({
  start,
  end,
  words,
  classes: 0,
  forms: 0,
  demands: 0,
});
