import { knowWord } from './know-words.ts';

/** Escapes of new lines, tabs and the like, one after the other, in JSON or in JSON in JSON, and the letters behind them. */
const LINES = /(?<!\\)((?:\\{1,32}[bfnrt])+)([A-Za-z]{0,24})/g;

/**
 * A text that is itself JSON or a program writes a new line as `\n`, and the letter is no part of the word behind it. Blanks
 * stand in its place, so that every place stays where it is.
 */
export function openLines(text: string): string {
  return text.includes('\\') ? text.replace(LINES, toBlanks) : text;
}

function toBlanks(_: string, escapes: string, rest: string): string {
  const last = escapes.at(-1) ?? '';
  // `\never` may be meant as either: a word that does something is left as one.
  const isWord = rest !== '' && knowWord((last + rest).toLowerCase(), false).kind !== 0;
  const blanks = isWord ? escapes.slice(0, -1) : escapes;
  const lines = blanks.match(/n/g)?.length ?? 0;
  const open =
    lines > 1 ? '\n'.repeat(blanks.length) : lines === 1 ? '\n'.padStart(blanks.length) : ' '.repeat(blanks.length);
  return `${open}${isWord ? last : ''}${rest}`;
}
