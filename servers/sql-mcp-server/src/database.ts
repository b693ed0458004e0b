import { fail } from '@sallyport/kit';

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, unknown>>;

/** One statement with the values of its parameters. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Value[];
  readonly isChange: boolean;
}

export type Outcome =
  | { readonly rows: readonly Row[] }
  | { readonly changed: number }
  /** Words of the database. */
  | { readonly refusal: string };

/** What SQLite and PostgreSQL say differently. */
export interface Database {
  readonly dialect: {
    readonly name: 'SQLite' | 'PostgreSQL';
    /** The parameter at this place, from 1 on. */
    readonly parameter: (place: number) => string;
    /** Rows with `name`, `kind` (table or view) and `column`, in their order. */
    readonly columns: string;
    /** Rows with `sql`, a statement each. */
    readonly schema: string;
  };
  run(statement: Statement, signal?: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

/** The rows of a query. @throws ToolFailure with the words of the database when it refuses the statement */
export async function read(
  database: Database,
  { text, parameters = [] }: { readonly text: string; readonly parameters?: readonly Value[] },
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const outcome = accepted(await database.run({ text, parameters, isChange: false }, signal));
  return 'rows' in outcome ? outcome.rows : [];
}

/** How many rows a statement changed. @throws ToolFailure as `read` does */
export async function change(
  database: Database,
  { text, parameters }: { readonly text: string; readonly parameters: readonly Value[] },
  signal?: AbortSignal,
): Promise<number> {
  const outcome = accepted(await database.run({ text, parameters, isChange: true }, signal));
  return 'changed' in outcome ? outcome.changed : 0;
}

function accepted(outcome: Outcome): Exclude<Outcome, { refusal: string }> {
  if (!('refusal' in outcome)) return outcome;
  return fail(
    `The database refused the statement: ${outcome.refusal}.`,
    'Call sql_list_tables, correct the statement and call the tool again.',
  );
}
