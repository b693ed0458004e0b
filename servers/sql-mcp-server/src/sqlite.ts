import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Database, Outcome, Statement } from './database.ts';

const DIALECT: Database['dialect'] = {
  name: 'SQLite',
  parameter: () => '?',
  columns: `SELECT s.name AS name, s.type AS kind, trim(c.name || ' ' || c.type) AS column
    FROM sqlite_schema s, pragma_table_info(s.name) c
    WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite_%' ORDER BY s.name, c.cid`,
  schema: 'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL',
};

/** The compiled file, from `src` and from `dist`. */
const PROCESS = new URL('../dist/statement-process.js', import.meta.url);

/** A file whose statements run one after the other in a process beside the server. @throws Error when there is no database in it */
export function openSqlite(file: string, mode: 'read' | 'write'): Database {
  assertDatabase(file, mode);
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function ask(statement: Statement, signal: AbortSignal | undefined): Promise<Outcome> {
    signal?.throwIfAborted();
    child ??= fork(PROCESS, [file, mode], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const asked = child;
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        asked.off('message', answered).off('exit', ended).off('error', ended);
        signal?.removeEventListener('abort', stop);
        end();
      };
      const answered = (outcome: unknown) => settle(() => resolve(outcome as Outcome));
      const ended = () => {
        if (child === asked) child = undefined;
        settle(() => reject(signal?.aborted === true ? signal.reason : new Error('the process of the database ended')));
      };
      // SQLite undoes what the statement has changed so far.
      const stop = () => asked.kill('SIGKILL');
      asked.on('message', answered).on('exit', ended).on('error', ended);
      signal?.addEventListener('abort', stop, { once: true });
      asked.send(statement);
    });
  }

  return {
    dialect: DIALECT,
    async run(statement, signal) {
      const turn = last.then(() => ask(statement, signal));
      last = turn.catch(() => {});
      return turn;
    },
    async close() {
      const ending = child;
      child = undefined;
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      // Until it has ended, it keeps others from the file.
      const ended = once(ending, 'exit');
      ending.kill('SIGKILL');
      await ended;
    },
  };
}

function assertDatabase(file: string, mode: 'read' | 'write'): void {
  try {
    if (!existsSync(file)) throw new Error('missing');
    try {
      readOnce(file, mode === 'read');
    } catch (error) {
      if (mode === 'write' || !needsRollback(error)) throw error;
      // A program was killed in the middle of a change. SQLite undoes it, but only for who may write.
      readOnce(file, false);
    }
  } catch (error) {
    throw new Error(`${file} is not a SQLite database that can be read. Set SQL_FILE to one.`, { cause: error });
  }
}

function readOnce(file: string, readOnly: boolean): void {
  const database = new DatabaseSync(file, { readOnly, timeout: 5_000 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    database.close();
  }
}

/** SQLITE_READONLY_ROLLBACK (sqlite.org/rescode.html). */
function needsRollback(error: unknown): boolean {
  return error instanceof Error && 'sqliteExtendedCode' in error && error.sqliteExtendedCode === 776;
}
