import { createTextBuilder, type MappedText } from '../decode/mapped-text.ts';

/** White space wider than one, a new line, and the signs of emphasis: how a text is laid out, not what it says. */
const LAYOUT = /[ \t\r\n]{2,400}|\n|(?<![a-z0-9*_])[*_]{1,3}(?=[a-z])|(?<=[a-z.,!])[*_]{1,3}(?![a-z0-9*_])/g;
/** Without any of these there is no layout. */
const LAID_OUT = /[\n*_]|[ \t\r]{2}/;
/** A line that begins something of its own: an item of a list, a heading, the name of a parameter. */
const BEGINS =
  /[-•#<>|[{(]|\* |\d{1,3}[.)]|["'`]?[\w.-]{1,40}["'`]?(?: ?\([^)\n]{0,60}\))? ?[:：=]|(?:args|arguments|returns|examples?|notes?|raises)\b/y;
const GOES_ON = /[\p{L}\p{N},'"`)*]/u;

/**
 * The text as it is read, not as it is laid out: lines that only end because a page does, and words set apart by more than
 * one space, belong to one sentence. `undefined`: it is laid out like that already. Expects folded text.
 */
export function unwrap(text: string): MappedText | undefined {
  if (!LAID_OUT.test(text)) return undefined;
  const builder = createTextBuilder(text.length);
  let at = 0;
  for (const { 0: found, index } of text.matchAll(LAYOUT)) {
    const to = /^[*_]/.test(found) ? '' : toGap(text, found, index);
    if (to === found) continue;
    builder.copy(text.slice(at, index), at);
    builder.add(to, index);
    at = index + found.length;
  }
  if (at === 0) return undefined;
  builder.copy(text.slice(at), at);
  return builder.finish(text.length);
}

function toGap(text: string, gap: string, index: number): string {
  const line = gap.indexOf('\n');
  if (line === -1) return ' ';
  if (gap.includes('\n', line + 1)) return '\n';
  BEGINS.lastIndex = index + gap.length;
  return index > 0 && GOES_ON.test(text.charAt(index - 1)) && !BEGINS.test(text) ? ' ' : '\n';
}
