import { pipeline } from 'node:stream';
import {
  defineServer,
  defineTool,
  fail,
  field,
  formatInput,
  openRoots,
  page,
  pageInput,
  pageOutput,
  type Roots,
  ToolFailure,
  z,
} from '@sallyport/kit';
import { parse } from 'csv-parse';

const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const fileInput = {
  path: field('The CSV file, for example "sales.csv"', z.string().min(1).max(4_096)),
  separator: field('What separates columns', z.enum([',', ';', '\t', '|']).default(',')),
};
const MAX_GROUPS = 200;
/** Characters: the names of 100,000 groups stay in memory. */
const MAX_GROUP_NAME = 200;

type Row = Readonly<Record<string, string>>;

/** Rows one by one, whatever the size of the file. */
async function* readRows(
  roots: Roots,
  { path, separator }: { readonly path: string; readonly separator: string },
  signal: AbortSignal,
): AsyncGenerator<Row> {
  const file = await roots.open(path).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof ToolFailure) throw error;
    if (error.code === 'EACCES' || error.code === 'EPERM')
      fail(`The server may not read "${path}".`, 'Tell the user that the rights of the file forbid it.');
    return fail(`There is no file "${path}".`, 'Ask the user for its name.');
  });
  // A pipeline closes the file however the reading ends; its errors reach the reader of the parser.
  const parser = pipeline(
    file.createReadStream({ signal }),
    parse({ columns: true, delimiter: separator, bom: true, skip_empty_lines: true, max_record_size: 1_000_000 }),
    () => {},
  );
  try {
    for await (const row of parser) yield row as Row;
  } catch (error) {
    signal.throwIfAborted();
    const { message } = error as Error;
    fail(
      `"${path}" cannot be read as CSV: ${message}.`,
      'Try another separator, or tell the user which line is wrong.',
    );
  }
}

const analyze = (roots: Roots) =>
  defineTool({
    name: 'analyze_csv',
    title: 'Analyse a CSV file',
    description:
      'Counts the rows of a CSV file and computes sum, average, minimum and maximum of a column, for all rows or by the values of another column.',
    input: {
      ...fileInput,
      column: field('The column with numbers, for example "price"', z.string().min(1).max(200)),
      group_by: field('Column by whose values to group, for example "country"', z.string().min(1).max(200).optional()),
      ...formatInput,
    },
    output: {
      rows: field('Rows in the file', z.number()),
      columns: field('Names of the columns', z.array(z.string())),
      skipped: field('Rows whose value is empty or not a number', z.number()),
      groups: field(
        `The figures, one for each group, the largest sum first; at most ${MAX_GROUPS}`,
        z.array(
          z.object({
            group: z.string().describe('Value of the group; "all" without grouping'),
            count: z.number().describe('Rows with a number'),
            sum: z.number().describe('Sum of the numbers'),
            average: z.number().describe('Their average'),
            minimum: z.number().describe('The smallest'),
            maximum: z.number().describe('The largest'),
          }),
        ),
      ),
      more_groups: field('Groups that are not shown', z.number()),
    },
    hints: READS,
    task: { resumes: true },
    timeoutMs: 600_000,
    async run({ column, group_by, ...file }, { signal, progress }) {
      const groups = new Map<string, { count: number; sum: number; minimum: number; maximum: number }>();
      let [rows, skipped] = [0, 0];
      let columns: readonly string[] = [];
      for await (const row of readRows(roots, file, signal)) {
        if (rows++ === 0) {
          columns = Object.keys(row);
          for (const name of [column, group_by])
            if (name !== undefined && !columns.includes(name))
              fail(`There is no column "${name}".`, `The columns are ${columns.join(', ')}.`);
        }
        if (rows % 100_000 === 0) await progress(rows, undefined, `${rows} rows read`);
        const text = row[column]?.trim() ?? '';
        const value = text === '' ? Number.NaN : Number(text);
        if (!Number.isFinite(value)) {
          skipped++;
          continue;
        }
        const key = group_by === undefined ? 'all' : (row[group_by] ?? '').slice(0, MAX_GROUP_NAME);
        const group = groups.get(key) ?? { count: 0, sum: 0, minimum: value, maximum: value };
        if (!Number.isFinite(group.sum + value))
          fail(`The sum of "${column}" is too large for a number.`, 'Tell the user which values are in the column.');
        groups.set(key, {
          count: group.count + 1,
          sum: group.sum + value,
          minimum: Math.min(group.minimum, value),
          maximum: Math.max(group.maximum, value),
        });
        if (groups.size > 100_000)
          fail(`"${group_by}" has more than 100,000 values.`, 'Group by a column with fewer values.');
      }
      const shown = [...groups].sort(([, a], [, b]) => b.sum - a.sum).slice(0, MAX_GROUPS);
      return {
        ...{ rows, columns: [...columns], skipped, more_groups: groups.size - shown.length },
        groups: shown.map(([group, figures]) => ({ group, ...figures, average: figures.sum / figures.count })),
      };
    },
  });

const listRows = (roots: Roots) =>
  defineTool({
    name: 'csv_list_rows',
    title: 'Read rows of a CSV file',
    description: 'Returns rows of a CSV file in their order, page by page. For figures over all rows, use analyze_csv.',
    input: { ...fileInput, ...pageInput, ...formatInput },
    output: pageOutput('The rows', field('A row: its columns by name', z.record(z.string(), z.string()))),
    hints: READS,
    timeoutMs: 600_000,
    run: ({ limit, offset, ...file }, { signal }) =>
      page({ limit, offset }, async (range) => {
        const rows: Row[] = [];
        let at = 0;
        for await (const row of readRows(roots, file, signal)) {
          if (at++ < range.offset) continue;
          rows.push(row);
          if (rows.length === range.limit) break;
        }
        return rows;
      }),
  });

/** @param folders where the files are */
export async function csv(folders: readonly string[]) {
  const roots = await openRoots(folders);
  return defineServer({
    name: 'csv-mcp-server',
    version: '1.0.0',
    instructions: `CSV files in ${roots.folders.join(', ')}.`,
    tools: [analyze(roots), listRows(roots)],
  });
}
