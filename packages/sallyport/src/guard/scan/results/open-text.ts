import { knowWord } from './know-words.ts';

/**
 * A text as its words are read, with blanks in place of what is no part of them, so that every place stays where it is: the
 * `\n` of a text that is itself JSON or a program, and tags of HTML that only say how the words within them look.
 */
export function openText(text: string): string {
  const lines = text.includes('\\') ? text.replace(LINES, toBlanks) : text;
  return lines.includes('</')
    ? lines.replace(TAG, (tag, inside) => (isLook(inside) ? ' '.repeat(tag.length) : tag))
    : lines;
}

/** Escapes of new lines, tabs and the like, one after the other, in JSON or in JSON in JSON, and the letters behind them. */
const LINES = /((?:\\{1,8}[bfnrt]){1,64})([A-Za-z]{0,24})/g;
const TAG =
  /<(?:\/a|\/?(?:b|i|u|s|em|strong|span|font|mark|small|big|sub|sup|wbr|ins|del|cite|label|abbr))((?:\s[^<>]{0,512})?)>/gi;
/** Attributes that say no more than how it looks: what stands in others may be meant to be read. */
const LOOK =
  /\s{1,4}(?:style|class|color|size|face|dir|lang)=(?:"[^"]{0,200}"|'[^']{0,200}'|[^\s"']{1,40})|\s{1,4}\/?$/iy;

function isLook(inside: string): boolean {
  let at = 0;
  while (at < inside.length) {
    LOOK.lastIndex = at;
    if (!LOOK.test(inside)) return false;
    at = LOOK.lastIndex;
  }
  return true;
}

function toBlanks(_: string, escapes: string, rest: string): string {
  const last = escapes.at(-1) ?? '';
  // `\never` may be meant as either: a word that does something is left as one.
  const isWord = rest !== '' && knowWord((last + rest).toLowerCase(), false).kind !== 0;
  const blanks = isWord ? escapes.slice(0, -1) : escapes;
  const lines = blanks.match(/n/g)?.length ?? 0;
  const open = lines > 1 ? '\n'.repeat(blanks.length) : (lines === 1 ? '\n' : '').padStart(blanks.length);
  return `${open}${isWord ? last : ''}${rest}`;
}
