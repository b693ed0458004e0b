import { constants, DatabaseSync } from '@photostructure/sqlite';

/** Runs statements on one database in a process of their own: a statement without an end can be ended with it. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | number | null)[];
  readonly isChange: boolean;
}

export type Outcome =
  | { readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly changed: number }
  | { readonly refusal: string };

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
    if (isChange) return { changed: Number(statement.run(...parameters).changes) };
    return { rows: statement.all(...parameters).map((row) => toRow(row as Readonly<Record<string, unknown>>)) };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
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
