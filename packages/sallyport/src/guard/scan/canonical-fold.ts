import { foldCharacter } from '../../core/fold-text.ts';
import { findConcealed } from '../decode/concealed.ts';
import { createTextBuilder, type MappedText, type TextBuilder } from '../decode/mapped-text.ts';
import { type Mark, RIGHT_TO_LEFT, readHidden } from '../decode/unseen.ts';

export interface Folded {
  readonly mapped: MappedText;
  readonly marks: readonly Mark[];
}

/** A text of nothing but marks would be a list as long as itself. Colours, which mean nothing, leave room for the others. */
const MAX_MARKS = 256;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff\uff00-\uffef]/;

/** The text as it is read, lower case, and what was in it that is not seen. For texts that are not plain ASCII. */
export function foldWithMap(text: string): Folded {
  const builder = createTextBuilder(text.length);
  const marks: Mark[] = [];
  const hasRightToLeft = RIGHT_TO_LEFT.test(text);
  const concealed = findConcealed(text);
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
    const hidden = readHidden({ text, at: i, code, hasRightToLeft, concealed });
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

/** Marks of one kind side by side are one: a hidden sentence is not a hundred findings. */
function addMark(marks: Mark[], mark: Mark): void {
  const last = marks.at(-1);
  if (last !== undefined && last.kind === mark.kind && last.end === mark.start)
    marks[marks.length - 1] = { ...last, ...mark, start: last.start, decoded: last.decoded + mark.decoded };
  else if (marks.length < MAX_MARKS || (mark.kind !== 'colour' && marks.length < MAX_MARKS * 2)) marks.push(mark);
}
