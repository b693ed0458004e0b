import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  defineResource,
  defineServer,
  defineTool,
  fail,
  field,
  formatInput,
  page,
  pageInput,
  pageOutput,
  z,
} from '@sallyport/kit';

type Value = string | number | null;
const value = z.union([z.string(), z.number(), z.null()]);

export interface SqlOptions {
  readonly file: string;
  /** Also offers a tool that changes the database. */
  readonly isWritable?: boolean;
}

const listTables = (database: DatabaseSyncInstance) =>
  defineTool({
    name: 'sql_list_tables',
    title: 'List the tables',
    description: 'Lists the tables and views of the database with their columns. Call it before you write a query.',
    input: {},
    output: {
      tables: field(
        'The tables',
        z.array(
          z.object({
            name: z.string().describe('Its name'),
            kind: z.string().describe('table or view'),
            columns: z.array(z.string()).describe('Name and type of each column'),
          }),
        ),
      ),
    },
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    run: () => ({ tables: readTables(database) }),
  });

const runQuery = (database: DatabaseSyncInstance) =>
  defineTool({
    name: 'sql_run_query',
    title: 'Run a query',
    description:
      'Runs one SELECT statement (SQLite) and returns its rows page by page. It cannot change the database. Pass values in parameters, not in the text.',
    input: {
      query: field(
        'One SELECT statement, for example "SELECT name FROM people WHERE age > ?"',
        z.string().min(1).max(20_000),
      ),
      parameters: field('Values for the question marks, in their order', z.array(value).max(100).default([])),
      ...pageInput,
      ...formatInput,
    },
    output: pageOutput('The rows', field('A row: its columns by name', z.record(z.string(), value))),
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    run: ({ query, parameters, ...range }) =>
      page(range, ({ limit, offset }) => {
        const text = query.trim().replace(/;\s*$/, '');
        return tell(() => {
          const statement = database.prepare(`SELECT * FROM (${text}) LIMIT ? OFFSET ?`);
          return statement
            .all(...parameters, limit, offset)
            .map((row: unknown) => toRow(row as Readonly<Record<string, unknown>>));
        });
      }),
  });

const executeStatement = (database: DatabaseSyncInstance) =>
  defineTool({
    name: 'sql_execute_statement',
    title: 'Change the database',
    description:
      'Runs one statement that changes the database, and returns how many rows changed. Show the statement to the user before you call it.',
    input: {
      statement: field('One statement, for example "DELETE FROM people WHERE id = ?"', z.string().min(1).max(20_000)),
      parameters: field('Values for the question marks, in their order', z.array(value).max(100).default([])),
    },
    output: { changed: field('How many rows changed', z.number()) },
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    run: ({ statement, parameters }) => ({
      changed: tell(() => Number(database.prepare(statement).run(...parameters).changes)),
    }),
  });

/** What the database says of a statement helps the model to correct it. */
function tell<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message } = error as Error;
    if (/readonly/.test(message)) return fail('This tool cannot change the database.', 'Write a SELECT statement.');
    return fail(
      `The database refused the statement: ${message}.`,
      'Call sql_list_tables, correct the statement and call the tool again.',
    );
  }
}

function toRow(row: Readonly<Record<string, unknown>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(row).map(([name, one]): [string, Value] => [
      name,
      one instanceof Uint8Array ? `(${one.length} bytes)` : typeof one === 'bigint' ? String(one) : (one as Value),
    ]),
  );
}

function readTables(database: DatabaseSyncInstance): { name: string; kind: string; columns: string[] }[] {
  const tables = database
    .prepare(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all();
  return (tables as { name: string; type: string }[]).map(({ name, type }) => {
    const columns = database.prepare('SELECT name, type FROM pragma_table_info(?)').all(name) as {
      name: string;
      type: string;
    }[];
    return { name, kind: type, columns: columns.map((column) => `${column.name} ${column.type}`.trim()) };
  });
}

/** @throws Error when there is no database in the file */
export function sql({ file, isWritable = false }: SqlOptions) {
  const reader = new DatabaseSync(file, { readOnly: true });
  const writer = isWritable ? new DatabaseSync(file) : undefined;
  const schema = defineResource({
    uri: 'sql://schema',
    name: 'schema',
    description: 'The statements that make the tables of the database',
    mimeType: 'application/sql',
    read: () =>
      (reader.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all() as { sql: string }[])
        .map((row) => `${row.sql};`)
        .join('\n'),
  });
  return defineServer({
    name: 'sql-mcp-server',
    version: '1.0.0',
    tools: [listTables(reader), runQuery(reader), ...(writer === undefined ? [] : [executeStatement(writer)])],
    resources: [schema],
    close() {
      reader.close();
      writer?.close();
    },
  });
}
