import { columnsOf, toLine } from './plain-text.ts';

/** Rows under headings, in columns; the last column is cut where the screen ends. `screen` is 0 when there is none. */
export function toTable(headings: readonly string[], rows: readonly (readonly string[])[], screen: number): string {
  const cells = rows.map((row) => row.map((cell) => toLine(cell, 4096)));
  const upper = headings.map((heading) => heading.toUpperCase());
  const last = headings.length - 1;
  const widths = upper.map((heading, column) =>
    Math.min(48, Math.max(columnsOf(heading), ...cells.map((row) => columnsOf(row[column] ?? '')))),
  );
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const room = screen === 0 ? 4096 : Math.max(20, screen - before);
  return [upper, ...cells].map((row) => toRow(row, widths, room)).join('\n');
}

function toRow(row: readonly string[], widths: readonly number[], room: number): string {
  const last = widths.length - 1;
  const parts = widths.map((width, column) => {
    const cell = row[column] ?? '';
    if (column === last) return toLine(cell, room);
    // A name is needed whole: one that is too long pushes its row, it is not cut.
    return cell + ' '.repeat(Math.max(0, width - columnsOf(cell)));
  });
  return parts.join('  ').trimEnd();
}
