import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { serveTools, ToolTrouble } from './serve-tools.ts';

type Row = Readonly<Record<string, string>>;

function load(path: unknown): readonly Row[] {
  const [head = '', ...lines] = readFileSync(resolve(process.env['FILES'] ?? '.', String(path)), 'utf8')
    .trim()
    .split('\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])));
}

serveTools('tables', [
  {
    name: 'describe_csv',
    description: 'Columns, number of rows and the first rows of a CSV file.',
    parameters: { path: 'string' },
    run: ({ path }) => {
      const rows = load(path);
      return { columns: Object.keys(rows[0] ?? {}), rows: rows.length, head: rows.slice(0, 3) };
    },
  },
  {
    name: 'aggregate_csv',
    description: 'Sum, mean, minimum or maximum of a column, in groups.',
    parameters: { path: 'string', column: 'string', operation: 'string sum, mean, min or max', 'group_by?': 'string' },
    run: ({ path, column, operation, group_by }) => {
      const groups = new Map<string, number[]>();
      for (const row of load(path)) {
        const value = Number(row[String(column)]);
        if (Number.isNaN(value)) throw new ToolTrouble(`column "${column}" is not numeric or does not exist`);
        const group = group_by === undefined ? 'all' : (row[String(group_by)] ?? '');
        groups.set(group, [...(groups.get(group) ?? []), value]);
      }
      const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
      const compute = (values: readonly number[]) => {
        if (operation === 'mean') return sum(values) / values.length;
        if (operation === 'min') return Math.min(...values);
        return operation === 'max' ? Math.max(...values) : sum(values);
      };
      return Object.fromEntries([...groups].map(([group, values]) => [group, compute(values)]));
    },
  },
  {
    name: 'filter_csv',
    description: 'Rows of a CSV file whose column has a value.',
    parameters: { path: 'string', column: 'string', value: 'string' },
    run: ({ path, column, value }) => load(path).filter((row) => row[String(column)] === value),
  },
  {
    name: 'to_markdown_table',
    description: 'Write rows as a Markdown table.',
    parameters: { rows: 'object[]' },
    run: ({ rows }) => {
      const list = (rows as Row[] | undefined) ?? [];
      const names = Object.keys(list[0] ?? {});
      const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
      return [
        line(names),
        line(names.map(() => '---')),
        ...list.map((row) => line(names.map((name) => String(row[name] ?? '')))),
      ].join('\n');
    },
  },
]);
