import { createHash } from 'node:crypto';
import type { SelectQueryBuilder } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** Who started which task, for every process on the state directory and after a restart. */
export interface TaskOwnerStore {
  put(task: string, owner: string): Promise<void>;
  /** The owners of those of the tasks that somebody started. */
  find(tasks: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** No server promises a task for longer. Milliseconds. */
const KEEP_MS = 30 * 86_400_000;
const MAX_TASKS = 100_000;
/** So many new tasks are let in between two looks at both bounds. */
const TRIM_EVERY = 256;
/** Rows per statement: SQLite takes 32,766 variables. */
const BATCH = 500;
/** Looks for the owner with the most tasks when there are too many. */
const MAX_ROUNDS = 8;

/** @param maxTasks beyond it the oldest of the owner with the most make room */
export function createTaskOwnerStore(database: Database, clock: Clock, maxTasks = MAX_TASKS): TaskOwnerStore {
  let puts = 0;
  const trim = async (): Promise<void> => {
    const old = clock.now() - KEEP_MS;
    await database.deleteFrom('task_owner').where('noted_at', '<', old).execute();
    const newest = database.selectFrom('task_owner').select('noted_at').orderBy('noted_at', 'desc');
    if ((await newest.offset(maxTasks).limit(1).executeTakeFirst()) === undefined) return;
    const { count } = await database
      .selectFrom('task_owner')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    // More than what is over: counting by owner is not for every look.
    let over = Number(count) - maxTasks + Math.floor(maxTasks / 16);
    for (let round = 0; over > 0 && round < MAX_ROUNDS; round++) over -= await takeFromLargest(over);
    // So many owners with so few tasks each: the oldest of all go.
    if (over > 0) await remove(database.selectFrom('task_owner').select('task'), over);
  };
  /** Who has the most tasks loses its oldest, down to what the next one has: nobody's tasks make room for another's. */
  const takeFromLargest = async (over: number): Promise<number> => {
    const [largest, next] = await database
      .selectFrom('task_owner')
      .select((select) => ['owner' as const, select.fn.countAll<number>().as('held')])
      .groupBy('owner')
      .orderBy('held', 'desc')
      .limit(2)
      .execute();
    if (largest === undefined) return over;
    const many = Math.min(over, Math.max(1, Number(largest.held) - Number(next?.held ?? 0)));
    await remove(database.selectFrom('task_owner').select('task').where('owner', '=', largest.owner), many);
    return many;
  };
  const remove = async (tasks: SelectQueryBuilder<Tables, 'task_owner', { task: string }>, many: number) => {
    const oldest = tasks.orderBy('noted_at').limit(many);
    await database.deleteFrom('task_owner').where('task', 'in', oldest).execute();
  };
  return {
    async put(task, owner) {
      const row = { task: toDigest(task), owner, noted_at: clock.now() };
      await database
        .insertInto('task_owner')
        .values(row)
        .onConflict((conflict) => conflict.column('task').doUpdateSet({ owner, noted_at: row.noted_at }))
        .execute();
      if (puts++ % TRIM_EVERY === 0) await trim();
    },
    async find(tasks) {
      const found = new Map<string, string>();
      for (let at = 0; at < tasks.length; at += BATCH) {
        const byDigest = new Map(tasks.slice(at, at + BATCH).map((task) => [toDigest(task), task]));
        const rows = await database
          .selectFrom('task_owner')
          .select(['task', 'owner'])
          .where('task', 'in', [...byDigest.keys()])
          .execute();
        for (const { task, owner } of rows) found.set(byDigest.get(task) ?? task, owner);
      }
      return found;
    },
  };
}

/** The id of a task may be all that a server asks for. */
function toDigest(task: string): string {
  return createHash('sha256').update(task).digest('base64url');
}
