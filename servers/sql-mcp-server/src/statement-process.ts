import { constants, DatabaseSync } from '@photostructure/sqlite';
import type { Outcome, Statement, Value } from './database.ts';

// Runs statements on one SQLite file in a process of their own: a statement without an end can be ended with it.

/** Bytes of one value. */
const MAX_VALUE = 10_000_000;
/** They lead to other files, or leave a transaction open that takes later changes with it. */
const REFUSED = new Set([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
]);

const [file = '', mode] = process.argv.slice(2);
const isWritable = mode === 'write';
const database = new DatabaseSync(file, { readOnly: !isWritable, timeout: 5_000, limits: { length: MAX_VALUE } });
let isChanging = false;
if (isWritable)
  database.setAuthorizer((action) =>
    REFUSED.has(action) || (isChanging && action === constants.SQLITE_PRAGMA)
      ? constants.SQLITE_DENY
      : constants.SQLITE_OK,
  );

function run({ text, parameters, isChange }: Statement): Outcome {
  try {
    isChanging = isChange;
    const statement = database.prepare(text);
    if (hasMore(text)) return { refusal: 'only one statement can run at a time' };
    if (isChange) return { changed: Number(statement.run(...parameters.map(toSqlite)).changes) };
    return {
      rows: statement.all(...parameters.map(toSqlite)).map((row) => toRow(row as Readonly<Record<string, unknown>>)),
    };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
}

/** SQLite prepares the first statement and leaves out those that follow, without a word. */
function hasMore(text: string): boolean {
  for (let end = text.indexOf(';'); end >= 0; end = text.indexOf(';', end + 1)) {
    const rest = text.slice(end + 1).trim();
    if (rest === '') return false;
    // What ends inside a text or a trigger is not complete.
    if (isStatement(text.slice(0, end))) return !/^--[^\n]*$/.test(rest);
  }
  return false;
}

function isStatement(text: string): boolean {
  try {
    database.prepare(text);
    return true;
  } catch {
    return false;
  }
}

/** SQLite has no booleans. */
function toSqlite(value: Value): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** As JSON can write it. */
function toRow(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, one]) => [
      name,
      one instanceof Uint8Array ? `(${one.length} bytes)` : typeof one === 'bigint' ? String(one) : one,
    ]),
  );
}

process.on('message', (statement: Statement) => process.send?.(run(statement)));
// Its server has ended, however.
process.on('disconnect', () => process.exit());
