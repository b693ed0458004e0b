import { columnsOf, toLine } from './plain-text.ts';

export interface Pair {
  readonly server: string;
  readonly name: string;
  readonly why: string;
  readonly fields: readonly { readonly field: string; readonly offered: string; readonly approved: string }[];
}

/** Of each of the two; three of them fit no screen, and most screens have more than 80. Columns. */
const WIDTH = 38;
/** Lines of one field: the API has all of it. */
const MAX_LINES = 24;

/**
 * A tool beside the approved one of another server that it competes with.
 * @param spell writes out what nobody sees
 */
export function describePair(own: string, pair: Pair, spell: (text: string) => string): string[] {
  const { server, name, why, fields } = pair;
  const show = (text: string) => toLine(spell(text), 4096);
  const head = `  = beside ${show(server)} ${show(name)}, which is approved: ${show(why)}`;
  if (fields.length === 0) return [head];
  const rows = fields.flatMap(({ field, offered, approved }) => {
    const [left, right] = [wrap(spell(offered)), wrap(spell(approved))];
    const lines = Array.from({ length: Math.max(left.length, right.length) }, (_, i) => toRow(left[i], right[i]));
    return [`    ${field}`, ...lines];
  });
  return [head, toRow(show(own), `approved: ${show(server)}`), ...rows];
}

function toRow(left = '', right = ''): string {
  const [one, other] = [toLine(left, WIDTH), toLine(right, WIDTH)];
  return `      ${one}${' '.repeat(Math.max(0, WIDTH - columnsOf(one)))} | ${other}`.trimEnd();
}

function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.trim().split('\n')) {
    let line = '';
    for (const word of paragraph.trim().split(/\s/).flatMap(cut)) {
      if (line !== '' && columnsOf(`${line} ${word}`) > WIDTH) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
      if (lines.length >= MAX_LINES) return [...lines, '…'];
    }
    lines.push(line);
  }
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines;
}

/** A word that is wider than the column, as Chinese sentences are. */
function cut(word: string): readonly string[] {
  if (columnsOf(word) <= WIDTH) return [word];
  const parts: string[] = [];
  let part = '';
  for (const character of word) {
    if (columnsOf(part + character) > WIDTH) {
      parts.push(part);
      part = '';
    }
    part += character;
    if (parts.length > MAX_LINES) break;
  }
  return [...parts, part];
}
