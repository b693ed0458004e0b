import { columnsOf, toLine } from './plain-text.ts';
import { wrapText } from './wrap-text.ts';

/** What the last column, mostly a reason, needs beside the others to be read; with less it goes below them. */
const READABLE = 24;
const BELOW = '    ';
const WIDEST = 48;

export interface TableOptions {
  /** Lines of the last column at most; left out: 10. */
  readonly lines?: number;
}

/**
 * Rows under headings, in columns. `screen` is the width of the terminal, 0 where there is none. On a terminal the
 * cells are broken between words, the last column last; a name or an id has no blanks and is never cut.
 */
export function toTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screen: number,
  { lines = 10 }: TableOptions = {},
): string {
  const upper = headings.map((heading) => heading.toUpperCase());
  const cells = [upper, ...rows.map((row) => headings.map((_, column) => toLine(row[column] ?? '', 4096)))];
  const columns = headings.map((_, column) => cells.map((row) => row[column] ?? ''));
  const natural = columns.map((texts) => Math.min(WIDEST, widest(texts)));
  const last = headings.length - 1;
  const wanted = widest(columns.at(-1) ?? []);
  if (screen === 0) return cells.map((row) => joinLine(row, natural)).join('\n');
  const widths = shrink(columns.slice(0, last), natural.slice(0, last), screen - Math.min(wanted, READABLE));
  const room = screen - widths.reduce((sum, width) => sum + width + 2, 0);
  const isBelow = room < Math.min(wanted, READABLE);
  return cells
    .flatMap((row, index) => {
      const texts = row.slice(0, last).map((cell, column) => wrapText(cell, widths[column] ?? WIDEST));
      const reason = cut(wrapText(row[last] ?? '', isBelow ? screen - BELOW.length : room), lines);
      if (!isBelow) return toLines([...texts, reason], widths);
      const below = index === 0 || reason.every((line) => line === '') ? [] : reason.map((line) => BELOW + line);
      return [...toLines(texts, widths), ...below];
    })
    .join('\n');
}

/** Columns of words give way, widest first, until all fit; none becomes narrower than its longest word. */
function shrink(columns: readonly (readonly string[])[], natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  const least = columns.map((texts) => widest(texts.flatMap((text) => text.split(' '))));
  const total = (): number => widths.reduce((sum, width) => sum + width + 2, 0);
  while (total() > room) {
    const able = widths.flatMap((width, column) => (width > (least[column] ?? 0) ? [column] : []));
    const [first, ...others] = able;
    if (first === undefined) break;
    const most = others.reduce((a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a), first);
    widths[most] = (widths[most] ?? 0) - 1;
  }
  return widths;
}

function toLines(texts: readonly (readonly string[])[], widths: readonly number[]): string[] {
  const height = Math.max(...texts.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    joinLine(
      texts.map((lines) => lines[line] ?? ''),
      widths,
    ),
  );
}

function joinLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell))))
    .join('  ')
    .trimEnd();
}

function cut(lines: readonly string[], most: number): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1] ?? ''} …`];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(columnsOf));
}
