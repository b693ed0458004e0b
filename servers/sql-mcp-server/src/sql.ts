import {
  defineResource,
  defineServer,
  defineTool,
  field,
  formatInput,
  page,
  pageInput,
  pageOutput,
  z,
} from '@sallyport/kit';
import { type Database, openDatabase } from './database.ts';

type Value = string | number | null;
type Row = Readonly<Record<string, unknown>>;
const value = z.union([z.string(), z.number(), z.null()]);

export interface SqlOptions {
  readonly file: string;
  /** Also offers a tool that changes the database. */
  readonly isWritable?: boolean;
  /** Milliseconds after which a statement is stopped. */
  readonly timeoutMs?: number;
}

interface Access {
  readonly database: Database;
  readonly timeoutMs: number;
}

const listTables = ({ database, timeoutMs }: Access) =>
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
    timeoutMs,
    run: async (_, { signal }) => ({ tables: await readTables(database, signal) }),
  });

const runQuery = ({ database, timeoutMs }: Access) =>
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
    timeoutMs,
    run: ({ query, parameters, ...range }, { signal }) =>
      page(range, async ({ limit, offset }) => {
        // Its end stands in a line of its own: the query may end with a comment.
        const text = `SELECT * FROM (${query.trim().replace(/;\s*$/, '')}\n) LIMIT ? OFFSET ?`;
        const statement = { text, parameters: [...parameters, limit, offset], isChange: false };
        const outcome = await database.run(statement, signal);
        // The other process writes only values that JSON has.
        return 'rows' in outcome ? (outcome.rows as Record<string, Value>[]) : [];
      }),
  });

const executeStatement = ({ database, timeoutMs }: Access) =>
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
    timeoutMs,
    async run({ statement, parameters }, { signal }) {
      const outcome = await database.run({ text: statement, parameters, isChange: true }, signal);
      return { changed: 'changed' in outcome ? outcome.changed : 0 };
    },
  });

/** Rows of a statement of this server. */
async function read(database: Database, text: string, signal?: AbortSignal): Promise<readonly Row[]> {
  const outcome = await database.run({ text, parameters: [], isChange: false }, signal);
  return 'rows' in outcome ? outcome.rows : [];
}

async function readTables(database: Database, signal: AbortSignal) {
  const columns = await read(
    database,
    `SELECT s.name AS name, s.type AS kind, trim(c.name || ' ' || c.type) AS column
     FROM sqlite_schema s, pragma_table_info(s.name) c
     WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite_%' ORDER BY s.name, c.cid`,
    signal,
  );
  const tables = new Map<string, { name: string; kind: string; columns: string[] }>();
  for (const { name, kind, column } of columns) {
    const table = tables.get(String(name)) ?? { name: String(name), kind: String(kind), columns: [] };
    tables.set(table.name, table);
    table.columns.push(String(column));
  }
  return [...tables.values()];
}

/** @throws Error when there is no database in the file */
export function sql({ file, isWritable = false, timeoutMs = 30_000 }: SqlOptions) {
  const database = openDatabase(file, isWritable ? 'write' : 'read');
  const schema = defineResource({
    uri: 'sql://schema',
    name: 'schema',
    description: 'The statements that make the tables of the database',
    mimeType: 'application/sql',
    read: async () => {
      const rows = await read(database, 'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL');
      return rows.map((row) => `${row['sql']};`).join('\n');
    },
  });
  return defineServer({
    name: 'sql-mcp-server',
    version: '1.0.0',
    tools: [
      listTables({ database, timeoutMs }),
      runQuery({ database, timeoutMs }),
      ...(isWritable ? [executeStatement({ database, timeoutMs })] : []),
    ],
    resources: [schema],
    close: () => database.close(),
  });
}
