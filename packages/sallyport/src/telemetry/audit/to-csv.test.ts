import { expect, test } from 'vitest';
import { CSV_HEADING, toCsvLine } from './to-csv.ts';

const column = CSV_HEADING.trimEnd().split(',').indexOf('tool');
const cellOf = (tool: string) => toCsvLine('0', { tool }).trimEnd().split(',')[column];

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
  'a spreadsheet shows %j as text',
  (tool) => expect(cellOf(tool)).toBe(`'${tool}`),
);

test('a line break in front of a formula does not hide it', () => {
  expect(cellOf('\n=1')).toBe(`"'\n=1"`);
});

test.each(['create_issue', 'a=1', '天气'])('%j stays as it is', (tool) => expect(cellOf(tool)).toBe(tool));
