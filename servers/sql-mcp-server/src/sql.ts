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
import { change, type Database, read, type Value } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** One of `file` and `url`. */
export interface SqlOptions {
  /** A SQLite database. */
  readonly file?: string | undefined;
  /** A PostgreSQL database. */
  readonly url?: string | undefined;
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
    description: `Runs one SELECT statement (${database.dialect.name}) and returns its rows page by page. It cannot change the database. Pass values in parameters, not in the text.`,
    input: {
      query: field(
        `One SELECT statement, for example "SELECT name FROM people WHERE age > ${database.dialect.parameter(1)}"`,
        z.string().min(1).max(20_000),
      ),
      parameters: field(`Values for ${placesOf(database)}, in their order`, z.array(value).max(100).default([])),
      ...pageInput,
      ...formatInput,
    },
    output: pageOutput('The rows', field('A row: its columns by name', z.record(z.string(), value))),
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    timeoutMs,
    run: ({ query, parameters, ...range }, { signal }) =>
      page(range, async ({ limit, offset }) => {
        // Its end stands in a line of its own: the query may end with a comment.
        const [most, skipped] = [1, 2].map((place) => database.dialect.parameter(parameters.length + place));
        const text = `SELECT * FROM (${withoutEnd(query)}\n) AS page LIMIT ${most} OFFSET ${skipped}`;
        const rows = await read(database, { text, parameters: [...parameters, limit, offset] }, signal);
        // Both databases give only values that JSON has.
        return rows as Record<string, Value>[];
      }),
  });

const executeStatement = ({ database, timeoutMs }: Access) =>
  defineTool({
    name: 'sql_execute_statement',
    title: 'Change the database',
    description:
      'Runs one statement that changes the database, and returns how many rows changed. Show the statement to the user before you call it.',
    input: {
      statement: field(
        `One statement, for example "DELETE FROM people WHERE id = ${database.dialect.parameter(1)}"`,
        z.string().min(1).max(20_000),
      ),
      parameters: field(`Values for ${placesOf(database)}, in their order`, z.array(value).max(100).default([])),
    },
    output: { changed: field('How many rows changed', z.number()) },
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    timeoutMs,
    run: async ({ statement, parameters }, { signal }) => ({
      changed: await change(database, { text: statement, parameters }, signal),
    }),
  });

function placesOf({ dialect }: Database): string {
  return dialect.name === 'SQLite' ? 'the question marks' : '$1, $2 and so on';
}

/** Inside other text, a statement ends without its semicolon. */
function withoutEnd(query: string): string {
  const text = query.trim();
  return text.endsWith(';') ? text.slice(0, -1) : text;
}

async function readTables(database: Database, signal: AbortSignal) {
  const columns = await read(database, { text: database.dialect.columns }, signal);
  const tables = new Map<string, { name: string; kind: string; columns: string[] }>();
  for (const { name, kind, column } of columns) {
    const table = tables.get(String(name)) ?? { name: String(name), kind: String(kind), columns: [] };
    tables.set(table.name, table);
    table.columns.push(String(column));
  }
  return [...tables.values()];
}

/** @throws Error when there is no such database */
export async function sql({ file, url, isWritable = false, timeoutMs = 30_000 }: SqlOptions) {
  const database = await open({ file, url, isWritable, timeoutMs });
  const schema = defineResource({
    uri: 'sql://schema',
    name: 'schema',
    description: 'The statements that make the tables of the database',
    mimeType: 'application/sql',
    read: async () => {
      const rows = await read(database, { text: database.dialect.schema });
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

async function open({ file, url, isWritable, timeoutMs }: Required<SqlOptions>): Promise<Database> {
  if (file !== undefined && url === undefined) return openSqlite(file, isWritable ? 'write' : 'read');
  if (url !== undefined && file === undefined) return openPostgres(url, { isWritable, timeoutMs });
  throw new Error('Set SQL_FILE to a SQLite database, or SQL_URL to a PostgreSQL database, and not both.');
}
