import { openLinks } from '../../decode/open-links.ts';
import { type Break, joinPieces } from './join-pieces.ts';
import { knowWord, mayBeWord } from './know-words.ts';

/** A text with other characters in place of some, as many, so that every place stays where it is. */
export interface Open {
  /**
   * As its words are read: blanks stand for signs and new lines of a text that is itself JSON, a program or a link, for tags of
   * HTML and signs of Markdown that only say how the words within them look, and for colours of a terminal whose first
   * character got lost.
   */
  readonly text: string;
  /** With its new lines alone, of which encoded blocks have many. */
  readonly lines: string;
}

export function openText(given: string): Open {
  const lines = edit(given, editsAt(given, '\\', IN_BREAKS));
  let text = edit(lines, editsAt(lines, '\\', IN_ESCAPES));
  text = edit(text, editsAt(text, '%', IN_PERCENT));
  text = edit(text, editsAt(text, '=?', IN_MAIL));
  text = openLinks(text);
  if (text.includes('m')) text = edit(text, editsAt(text, '[', IN_COLOURS));
  const tags = text.includes('</') ? editsAt(text, '<', IN_TAGS) : NONE;
  return { text: edit(text, joined(text, tags).concat(emphasisOf(text))), lines };
}

interface Edit {
  readonly at: number;
  /** Stands there instead, as long as what it takes the place of. */
  readonly written: string;
}

const NONE: readonly Edit[] = [];

type Replacing = readonly [RegExp, (written: string, ...groups: (string | undefined)[]) => string];

/** With a look only where the sign stands: a pattern that goes over all of a text costs five times as much. */
function editsAt(text: string, sign: string, all: readonly Replacing[]): readonly Edit[] {
  let at = text.indexOf(sign);
  if (at < 0) return NONE;
  const edits: Edit[] = [];
  while (at >= 0) {
    let end = at + 1;
    for (const [pattern, replace] of all) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) continue;
      const written = replace(found[0], found[1], found[2]);
      if (written !== found[0]) edits.push({ at, written });
      end = at + found[0].length;
      break;
    }
    at = text.indexOf(sign, end);
  }
  return edits;
}

/** One new string for all of them. */
function edit(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let open = '';
  let done = 0;
  for (const { at, written } of [...edits].sort((one, other) => one.at - other.at)) {
    if (at < done) continue;
    open += text.slice(done, at) + written;
    done = at + written.length;
  }
  return done === 0 ? text : open + text.slice(done);
}

function toSpaces(part: string): string {
  return ' '.repeat(part.length);
}

/** Escapes of new lines, tabs and the like, one after the other, in JSON or in JSON in JSON, and the letters behind them. */
const LINES = /((?:\\{1,8}[bfnrt]){1,64})([A-Za-z]{0,24})/y;

function toBlanks(_: string, escapes = '', rest = ''): string {
  const last = escapes.at(-1) ?? '';
  // `\never` may be meant as either: a word that does something is left as one.
  const word = last + rest;
  const isWord = rest !== '' && mayBeWord(word, 0, word.length) && knowWord(word.toLowerCase(), false).kind !== 0;
  const blanks = isWord ? escapes.slice(0, -1) : escapes;
  const lines = blanks.match(/n/g)?.length ?? 0;
  const open = lines > 1 ? '\n'.repeat(blanks.length) : (lines === 1 ? '\n' : '').padEnd(blanks.length);
  return `${open}${isWord ? last : ''}${rest}`;
}

/** Of ASCII what is part of no word, name, address or other escape; blanks and dashes of the punctuation block; ESC. */
const ESCAPED_SIGN =
  /\\{1,8}(?:(?:u00|x)(1b|2[0-4789a-f]|3[abcef]|5[bde]|60|7[bcde]|a0)|u20(?:0[0-9a]|[12][0-9]|3[0-9a])|(?:0?33|e)(?=\[))/iy;
const PERCENT_SIGN = /%(2[0-4789a-f]|3[abcef]|0[9ad]|5[bde]|60|7[bcde])/iy;

/** The sign itself, behind as many blanks as its escape is longer; of what shows nothing, and of quotation marks, blanks. */
function toSign(written: string, code?: string): string {
  const sign = code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16));
  return (sign >= ' ' && sign <= '~' && !'"\'`'.includes(sign) ? sign : ' ').padStart(written.length);
}

/** In headers of mail (RFC 2047 section 4.2): an underscore is a blank. What `=` encodes there is another view's. */
const ENCODED_WORD = /=\?[\w-]{1,24}(?:\*[\w-]{1,16})?\?q\?[^?\n]{1,512}\?=/iy;

/** Markdown and LaTeX write a backslash before signs that they would act on. */
const ESCAPED_MARK = /\\(?=([_*]))/y;
/** Where its first character did not get lost, others look at it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that character is one
const COLOUR = /(?<!\x1b)\[{1,2}\d{1,3}(?:;\d{1,3}){0,4}m/y;
/** Of HTML, of runs of text in XML (Word, SVG), and of the words of subtitles. */
const TAG =
  /<(?:\/a|\/?(?:b|i|u|s|em|strong|span|font|mark|small|big|sub|sup|wbr|ins|del|cite|label|abbr|tspan|c|[a-z]{1,6}:[a-z]{1,8})|\d\d:\d\d[\d:.]{0,9})(?:\s[^<>]{0,512})?>/iy;
/** Without an address, a mailbox or another script. */
const BARE = /^<[\s\w:;,.#%()"'=/-]{0,600}>$/;
const LONGEST_WORD = 24;
const MAX_SINGLES = 3;

const IN_BREAKS: readonly Replacing[] = [[LINES, toBlanks]];
const IN_ESCAPES: readonly Replacing[] = [
  [ESCAPED_SIGN, toSign],
  [ESCAPED_MARK, (_, sign = '') => sign],
];
const IN_PERCENT: readonly Replacing[] = [[PERCENT_SIGN, toSign]];
const IN_MAIL: readonly Replacing[] = [[ENCODED_WORD, (word) => word.replaceAll('_', ' ')]];
const IN_COLOURS: readonly Replacing[] = [[COLOUR, toSpaces]];
const IN_TAGS: readonly Replacing[] = [[TAG, toNothing]];

function toNothing(tag: string): string {
  return saysNothing(tag) ? toSpaces(tag) : tag;
}

/** Is there nothing in a tag, its attributes included, that the rules would read? What stands there may be meant for a model. */
function saysNothing(tag: string): boolean {
  if (!BARE.test(tag) || tag.includes('//')) return false;
  let singles = 0;
  for (const word of tag.match(/[A-Za-z\d]+/g) ?? []) {
    if (word.length === 1) singles++;
    else if (word.length > LONGEST_WORD || knowWord(word.toLowerCase(), /\d/.test(word)).kind !== 0) return false;
  }
  return singles <= MAX_SINGLES;
}

/** A word with tags or highlights within it is one word, which they do not cut into pieces that nobody reads. */
function joined(text: string, tags: readonly Edit[]): readonly Edit[] {
  const breaks: (Break & { readonly tag?: Edit })[] = starsOf(text);
  for (const tag of tags) breaks.push({ at: tag.at, end: tag.at + tag.written.length, tag });
  if (breaks.length === 0) return NONE;
  breaks.sort((one, other) => one.at - other.at);
  const edits: Edit[] = [];
  for (let i = 0; i < breaks.length; ) {
    const word = joinPieces(text, breaks, i);
    const tag = breaks[i]?.tag;
    if (word !== undefined) edits.push(word);
    else if (tag !== undefined) edits.push(tag);
    i += word?.count ?? 1;
  }
  return edits;
}

/** Asterisks for emphasis within words (CommonMark 6.2) or at their ends. */
function starsOf(text: string): Break[] {
  const breaks: Break[] = [];
  for (let at = text.indexOf('*'); at >= 0; ) {
    let end = at + 1;
    while (text.charCodeAt(end) === ASTERISK) end++;
    if (end - at <= 3) breaks.push({ at, end });
    at = text.indexOf('*', end);
  }
  return breaks;
}

const ASTERISK = 0x2a;

/** Underscores around words are emphasis; within them they are a part. */
function emphasisOf(text: string): Edit[] {
  const edits: Edit[] = [];
  for (let at = text.indexOf('_'); at >= 0; ) {
    let end = at + 1;
    while (text.charCodeAt(end) === UNDERSCORE) end++;
    if (end - at <= 3 && isPart(text.charCodeAt(at - 1)) !== isPart(text.charCodeAt(end)))
      edits.push({ at, written: ' '.repeat(end - at) });
    at = text.indexOf('_', end);
  }
  return edits;
}

const UNDERSCORE = 0x5f;

function isPart(code: number): boolean {
  const small = code | 0x20;
  return (small >= 0x61 && small <= 0x7a) || (code >= 0x30 && code <= 0x39) || code > 0x7f;
}
