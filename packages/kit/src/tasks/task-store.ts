import { randomUUID } from 'node:crypto';
import { openDatabase } from '../open-database.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

type Members = Readonly<Record<string, unknown>>;

/** A task as every process on the file sees it. */
export interface StoredTask {
  readonly id: string;
  /** Who started it: nobody else may see it. */
  readonly caller: string | undefined;
  readonly tool: string;
  /** As the client wrote them. */
  readonly args: Members;
  /** What the client can be asked for. */
  readonly capabilities: Members;
  readonly status: TaskStatus;
  readonly message: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What the tool has done and been answered so far. */
  readonly steps: readonly unknown[];
  /** `inputRequests`, `result` or `error`, as the protocol names them. */
  readonly outcome: Members;
}

export type NewTask = Pick<StoredTask, 'caller' | 'tool' | 'args' | 'capabilities'>;

/** A change of a task; what is left out stays. */
export interface TaskChange {
  readonly status?: TaskStatus;
  readonly outcome?: Members;
  readonly steps?: readonly unknown[];
  readonly message?: string;
}

export interface TaskStore {
  /** A new task that this process works on. */
  add(task: NewTask): StoredTask;
  find(id: string): StoredTask | undefined;
  /** Tasks of a caller that have not ended. */
  countOpen(caller: string | undefined): number;
  /** Changes a task that this process works on. @returns `undefined` when it does not, or no longer */
  change(id: string, change: TaskChange): StoredTask | undefined;
  /** Goes on with a task that waits for an answer. @returns `undefined` when somebody else has answered */
  answer(task: StoredTask, answer: unknown): StoredTask | undefined;
  /** Cancels a task in whatever process. @returns `undefined` when it has ended already */
  cancel(id: string): StoredTask | undefined;
  /** Says that this process still works on a task. @returns whether it does */
  extend(id: string): boolean;
  /** Leaves a task to the next process. */
  release(id: string): void;
  /** Takes over the tasks of processes that have not been heard of: now this process works on them. */
  takeOver(): readonly StoredTask[];
  /** Forgets tasks that are older than their life, and the oldest of too many. */
  tidy(): void;
  close(): void;
}

/** How long a task can be asked for. Milliseconds. */
export const LIFE_MS = 24 * 3_600_000;
/** A process that has not been heard of for so long has ended. */
export const LEASE_MS = 5_000;
/** Ended tasks beyond these make room, the oldest first. */
const MAX_ENDED = 10_000;

const SCHEMA = `CREATE TABLE IF NOT EXISTS tasks (
    id TEXT PRIMARY KEY, caller TEXT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL, capabilities TEXT NOT NULL,
    status TEXT NOT NULL, message TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    steps TEXT NOT NULL, outcome TEXT NOT NULL, worker TEXT NOT NULL, alive_until INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS tasks_open ON tasks (status, alive_until);
  CREATE INDEX IF NOT EXISTS tasks_created ON tasks (created_at);`;

type Row = Readonly<Record<string, string | number | null>>;

/** @param file SQLite database; its tasks outlive a restart. `:memory:` for one process. */
export function openTaskStore(file: string, now: () => number = Date.now): TaskStore {
  const database = openDatabase(file, SCHEMA);
  const worker = randomUUID();
  const find = database.prepare('SELECT * FROM tasks WHERE id = ?');
  const add = database.prepare(`INSERT INTO tasks VALUES (?, ?, ?, ?, ?, 'working', NULL, ?, ?, '[]', '{}', ?, ?)`);
  const count = database.prepare(
    `SELECT count(*) AS open FROM tasks WHERE caller = ? AND status IN ('working', 'input_required')`,
  );
  const change = database.prepare(`UPDATE tasks SET status = coalesce(?, status), outcome = coalesce(?, outcome),
    steps = coalesce(?, steps), message = coalesce(?, message), updated_at = ?
    WHERE id = ? AND worker = ? AND status = 'working' RETURNING *`);
  const answer = database.prepare(`UPDATE tasks SET status = 'working', outcome = '{}', steps = ?, updated_at = ?,
    worker = ?, alive_until = ? WHERE id = ? AND status = 'input_required' AND steps = ? RETURNING *`);
  const cancel = database.prepare(`UPDATE tasks SET status = 'cancelled', outcome = '{}', updated_at = ?
    WHERE id = ? AND status IN ('working', 'input_required') RETURNING *`);
  const extend = database.prepare(
    `UPDATE tasks SET alive_until = ? WHERE id = ? AND worker = ? AND status = 'working'`,
  );
  const takeOver = database.prepare(`UPDATE tasks SET worker = ?, alive_until = ?
    WHERE status = 'working' AND alive_until < ? RETURNING *`);
  const forgetOld = database.prepare(`DELETE FROM tasks WHERE created_at < ? AND status <> 'working'`);
  const forgetMost = database.prepare(`DELETE FROM tasks WHERE id IN (SELECT id FROM tasks
    WHERE status NOT IN ('working', 'input_required') ORDER BY created_at DESC LIMIT -1 OFFSET ${MAX_ENDED})`);
  const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return {
    add(task) {
      const [id, at] = [randomUUID(), now()];
      const { caller, tool, args, capabilities } = task;
      add.run(
        ...[id, toCaller(caller), tool, JSON.stringify(args), JSON.stringify(capabilities)],
        ...[at, at, worker, at + LEASE_MS],
      );
      return {
        ...task,
        id,
        status: 'working',
        message: undefined,
        createdAt: at,
        updatedAt: at,
        steps: [],
        outcome: {},
      };
    },
    find: (id) => toTask(find.get(id)),
    countOpen: (caller) => (count.get(toCaller(caller)) as { open: number }).open,
    change: (id, { status, outcome, steps, message }) =>
      toTask(change.get(status ?? null, toJson(outcome), toJson(steps), message ?? null, now(), id, worker)),
    answer({ id, steps }, given) {
      const [before, after] = [JSON.stringify(steps), JSON.stringify([...steps, given])];
      return toTask(answer.get(after, now(), worker, now() + LEASE_MS, id, before));
    },
    cancel: (id) => toTask(cancel.get(now(), id)),
    extend: (id) => extend.run(now() + LEASE_MS, id, worker).changes === 1,
    release: (id) => void extend.run(0, id, worker),
    takeOver: () => takeOver.all(worker, now() + LEASE_MS, now()).map((row) => toTask(row) as StoredTask),
    tidy() {
      forgetOld.run(now() - LIFE_MS);
      forgetMost.run();
    },
    close: () => database.close(),
  };
}

/** JSON, because SQLite ends a text at a NUL and tells no caller from one without a name. */
function toCaller(caller: string | undefined): string {
  return JSON.stringify(caller ?? null);
}

function toTask(found: unknown): StoredTask | undefined {
  if (found === undefined) return undefined;
  const row = found as Row;
  const parse = (name: string) => JSON.parse(String(row[name])) as never;
  return {
    id: String(row['id']),
    caller: (parse('caller') as string | null) ?? undefined,
    tool: String(row['tool']),
    args: parse('args'),
    capabilities: parse('capabilities'),
    // Written by the statements above only.
    status: String(row['status']) as TaskStatus,
    message: row['message'] === null ? undefined : String(row['message']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    steps: parse('steps'),
    outcome: parse('outcome'),
  };
}
