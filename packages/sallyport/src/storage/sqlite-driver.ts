import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SelectQueryNode } from 'kysely';
import { FaultError } from '../core/errors.ts';

export interface SqliteDriverOptions {
  /** How long a statement waits for its turn and for other processes. Milliseconds. */
  readonly patienceMs?: number | undefined;
}

/** Statements and transactions that wait for the one that writes. */
const MAX_WAITING = 1_000;
const PATIENCE_MS = 5_000;
/** Between two looks whether the other process has let go: a commit takes a few milliseconds. */
const LONGEST_STEP_MS = 20;
const SQLITE_BUSY = 5;

/**
 * One handle for everybody in this process. SQLite's own waiting (`busy_timeout`) would stop the whole program while
 * another process writes; here only the statement waits. Writers go one after the other in the order they came, a
 * transaction counts as one writer and must await nothing but its own statements; readers wait only while a transaction
 * is open, so that they see nothing of it before it is committed.
 */
export class SqliteDriver implements Driver {
  readonly #sqlite: DatabaseSyncInstance;
  readonly #patienceMs: number;
  /** Writers behind the one that has its turn. */
  readonly #line = new Set<() => void>();
  #isWriting = false;
  #transaction: DatabaseConnection | undefined;
  /** Readers that wait for the end of the transaction. */
  readonly #readers = new Set<() => void>();

  constructor(sqlite: DatabaseSyncInstance, { patienceMs = PATIENCE_MS }: SqliteDriverOptions = {}) {
    this.#sqlite = sqlite;
    this.#patienceMs = patienceMs;
    sqlite.exec('PRAGMA busy_timeout=0');
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection: DatabaseConnection = {
      executeQuery: <R>(query: CompiledQuery) => this.#execute<R>(connection, query),
      streamQuery() {
        throw new Error('Results are read as a whole here.');
      },
    };
    return connection;
  }

  /** IMMEDIATE: one that reads first could not become a writer once another process has written meanwhile. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const until = performance.now() + this.#patienceMs;
    await this.#enter(until);
    try {
      await this.#retry(() => this.#sqlite.exec('begin immediate'), until);
      this.#transaction = connection;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** One that fails is still open: Kysely rolls it back. */
  async commitTransaction(): Promise<void> {
    await this.#retry(() => this.#sqlite.exec('commit'), performance.now() + this.#patienceMs);
    this.#end();
  }

  async rollbackTransaction(): Promise<void> {
    try {
      // A full disk ends a transaction before anybody asks.
      if (this.#sqlite.isTransaction) this.#sqlite.exec('rollback');
    } finally {
      this.#end();
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (this.#transaction === connection) await this.rollbackTransaction();
  }

  /** Lets the writer that has its turn finish. */
  async destroy(): Promise<void> {
    if (!this.#sqlite.isOpen) return;
    if (this.#isWriting) await this.#enter(performance.now() + this.#patienceMs).catch(() => undefined);
    if (this.#sqlite.isOpen) this.#close();
    // Whoever still waits hears at once that the file is closed.
    this.#leave();
  }

  /** With an empty log: whoever copies the file has all of it. Closing alone leaves the log while a statement is not collected yet. */
  #close(): void {
    try {
      this.#sqlite.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // A full disk: what is committed stays in the log, and the next to open the file reads it.
    }
    this.#sqlite.close();
  }

  async #execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction === connection) return this.#run<R>(query);
    const until = performance.now() + this.#patienceMs;
    if (!SelectQueryNode.is(query.query)) return this.#write(() => this.#run<R>(query), until);
    while (this.#transaction !== undefined) await this.#wait(this.#readers, until);
    try {
      return this.#run<R>(query);
    } catch (error) {
      // Rare for readers (a log that is being recovered): it tries again where no transaction can begin meanwhile.
      if (!isBusy(error)) throw error;
      return this.#write(() => this.#run<R>(query), until);
    }
  }

  async #write<R>(work: () => R, until: number): Promise<R> {
    await this.#enter(until);
    try {
      return await this.#retry(work, until);
    } finally {
      this.#leave();
    }
  }

  #run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const statement: StatementSyncInstance = this.#sqlite.prepare(sql);
    const values = parameters as never[]; // Kysely hands over what the query was built with; SQLite refuses what it cannot hold.
    if (statement.columns().length > 0) return { rows: statement.all(...values) as R[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** @throws FaultError `overloaded` when another process keeps the file locked for too long. */
  async #retry<R>(work: () => R, until: number): Promise<R> {
    for (let step = 1; ; step = Math.min(step * 2, LONGEST_STEP_MS)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() + step > until)
          throw new FaultError(
            'overloaded',
            `Another program has kept the database locked for ${this.#patienceMs} ms. Try again, or end what holds sallyport.db.`,
            { cause: error },
          );
      }
      await new Promise((resolve) => setTimeout(resolve, step));
    }
  }

  async #enter(until: number): Promise<void> {
    // A writer that was let go may not have run yet: who comes now goes behind it.
    if (this.#isWriting) await this.#wait(this.#line, until);
    this.#isWriting = true;
  }

  /** The turn goes from hand to hand: nobody gets in between. */
  #leave(): void {
    const [next] = this.#line;
    if (next === undefined) this.#isWriting = false;
    else next();
  }

  #end(): void {
    this.#transaction = undefined;
    for (const go of [...this.#readers]) go();
    this.#leave();
  }

  #wait(line: Set<() => void>, until: number): Promise<void> {
    if (line.size >= MAX_WAITING)
      return Promise.reject(
        new FaultError('overloaded', `${MAX_WAITING} statements wait for the database already. Try again later.`),
      );
    return new Promise((resolve, reject) => {
      const go = (): void => {
        line.delete(go);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(
        () => {
          line.delete(go);
          reject(new FaultError('overloaded', `The database was busy for ${this.#patienceMs} ms. Try again later.`));
        },
        Math.max(0, until - performance.now()),
      );
      line.add(go);
    });
  }
}

/** Extended codes carry the code in their last byte; statements that return rows throw without one. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!('errcode' in error)) return error.message === 'database is locked';
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_BUSY;
}
