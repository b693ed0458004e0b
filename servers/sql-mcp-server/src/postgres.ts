import { Socket } from 'node:net';
import { Client, DatabaseError, Pool, type PoolClient, types } from 'pg';
import type { Database, Outcome, Statement } from './database.ts';

/** Statements at once; more wait. */
const MOST_AT_ONCE = 4;
const CONNECT_MS = 5_000;
/** Bytes that one statement may return: the driver holds them all in memory. */
const MAX_ANSWER = 10_000_000;

const DIALECT: Database['dialect'] = {
  name: 'PostgreSQL',
  parameter: (place) => `$${place}`,
  columns: `SELECT c.oid::regclass::text AS name, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind,
      a.attname || ' ' || format_type(a.atttypid, a.atttypmod) AS column
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege(c.oid, 'SELECT')
      AND c.relnamespace::regnamespace::text NOT LIKE 'pg\\_%' AND c.relnamespace::regnamespace::text <> 'information_schema'
    ORDER BY 1, a.attnum`,
  schema: `SELECT format(E'CREATE %s %s (\\n  %s\\n)', max(kind), name, string_agg(part, E',\\n  ' ORDER BY place)) AS sql
    FROM (
      SELECT c.oid::regclass::text AS name, CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'TABLE' END AS kind, a.attnum AS place,
        quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS part
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege(c.oid, 'SELECT')
        AND c.relnamespace::regnamespace::text NOT LIKE 'pg\\_%' AND c.relnamespace::regnamespace::text <> 'information_schema'
      UNION ALL
      SELECT conrelid::regclass::text, 'TABLE', 10000, pg_get_constraintdef(oid)
      FROM pg_constraint WHERE contype IN ('p', 'f', 'u', 'c') AND conrelid <> 0 AND has_table_privilege(conrelid, 'SELECT')
        AND connamespace::regnamespace::text NOT LIKE 'pg\\_%' AND connamespace::regnamespace::text <> 'information_schema'
    ) parts GROUP BY name ORDER BY name`,
};

/**
 * A PostgreSQL database. Each statement has a connection of its own, so that no setting and no lock outlives it.
 * @throws Error when it cannot be reached, or when the role may do more than the database can deny
 */
export async function openPostgres(
  url: string,
  { isWritable, timeoutMs }: { readonly isWritable: boolean; readonly timeoutMs: number },
): Promise<Database> {
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    // The server stops what this process can no longer cancel.
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    application_name: 'sql-mcp-server',
    types: { getTypeParser: (type: number) => PARSERS.get(type) ?? String },
    stream: boundedSocket,
  };
  await assertRole(url, settings);
  const pool = new Pool({ ...settings, max: MOST_AT_ONCE, maxUses: 1 });
  // Without a listener, a connection that ends while it is idle ends the process.
  pool.on('error', () => {});

  return {
    dialect: DIALECT,
    async run({ text, parameters, isChange }: Statement, signal?: AbortSignal): Promise<Outcome> {
      signal?.throwIfAborted();
      const client = await pool.connect();
      client.on('error', () => {});
      const cancel = () => void cancelStatement(settings, client).catch(() => {});
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        await client.query(isChange && isWritable ? 'BEGIN READ WRITE' : 'BEGIN READ ONLY');
        // The extended protocol takes one statement only.
        const query = { text, values: [...parameters], queryMode: 'extended' };
        const result = await client.query(query);
        signal?.throwIfAborted();
        await client.query(isChange ? 'COMMIT' : 'ROLLBACK');
        return isChange ? { changed: result.rowCount ?? 0 } : { rows: result.rows };
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof DatabaseError || error instanceof TooLargeError) return { refusal: error.message };
        throw error;
      } finally {
        signal?.removeEventListener('abort', cancel);
        client.release(true);
      }
    },
    close: () => pool.end(),
  };
}

class TooLargeError extends Error {
  constructor() {
    super('its result has more than 10 MB and is too big; select fewer or shorter values');
  }
}

function boundedSocket(): Socket {
  const socket = new Socket();
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) socket.destroy(new TooLargeError());
  });
  return socket;
}

/** Its types do not name the process of the server, which the driver needs to cancel. */
type Connection = PoolClient & { readonly processID?: number | null };

async function cancelStatement(settings: object, { processID }: Connection): Promise<void> {
  const other = new Client(settings);
  try {
    await other.connect();
    await other.query('SELECT pg_cancel_backend($1)', [processID]);
  } finally {
    await other.end();
  }
}

/** In a read-only transaction, a superuser still reads and writes files of the machine and ends other connections. */
async function assertRole(url: string, settings: object): Promise<void> {
  const client = new Client(settings);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user');
    if ((rows[0] as { super?: unknown } | undefined)?.super !== true) return;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The PostgreSQL database at ${toPlace(url)} cannot be reached: ${reason}. Check SQL_URL.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
  throw new Error(
    "SQL_URL names a superuser, whom PostgreSQL denies nothing. Make a role with the rights that the model needs: CREATE ROLE reader LOGIN PASSWORD '…'; GRANT pg_read_all_data TO reader.",
  );
}

/** Without the password. */
function toPlace(url: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url);
    return `${hostname || (searchParams.get('host') ?? 'this machine')}${port && `:${port}`}${pathname}`;
  } catch {
    return 'SQL_URL';
  }
}

/** As JSON can write it; everything else is the text that PostgreSQL writes. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [types.builtins.BOOL, (text) => text === 't'],
  [types.builtins.BYTEA, (text) => `(${(text.length - 2) / 2} bytes)`],
  ...[types.builtins.INT2, types.builtins.INT4, types.builtins.INT8, types.builtins.FLOAT4, types.builtins.FLOAT8].map(
    (type) => [type, toNumber] as const,
  ),
]);

/** A number that JavaScript would change stays a text. */
function toNumber(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : text;
}
