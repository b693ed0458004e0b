/**
 * Text from a stranger made harmless for a terminal: control characters (escape sequences could move the cursor, set
 * the title or write the clipboard) and characters that turn the reading direction are shown as what they are.
 * Line breaks and tabs stay.
 */
export function toPlainText(text: string): string {
  return text
    .replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`)
    .replaceAll('\r\n', '\n');
}

// C0 and C1 controls without tab, line feed and the carriage return of a CRLF; bidirectional controls (CVE-2021-42574).
const UNSAFE = /(?![\t\n]|\r\n)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/** JSON that means the same, and in which nothing acts on a terminal: JSON itself escapes only the first controls. */
export function toPlainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One line of at most `width` columns. */
export function toLine(text: string, width: number): string {
  const line = toPlainText(text).trim().replace(/\s+/g, ' ');
  if (columnsOf(line) <= width) return line;
  let cut = '';
  let columns = 1;
  for (const character of line) {
    columns += widthOf(character);
    if (columns > width) break;
    cut += character;
  }
  return `${cut}…`;
}

/** How many columns a text takes: CJK, full-width forms and emoji take two, combining marks none. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const MARK = /\p{M}|\u200B|\u200C|\u200D/u;

function widthOf(character: string): number {
  if (character.length === 1 && character < '\u0300') return 1;
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
