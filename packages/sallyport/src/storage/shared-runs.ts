import type { Transaction } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { RunRow, SharedRuns } from '../core/shared-state.ts';
import type { Database } from './database.ts';
import { createGroups } from './groups.ts';
import type { Tables } from './tables.ts';

/** Runs that are deleted, or whose bodies make room, in one go. */
const MANY = 100;

/** Rows of runs of several processes. @param open the one handle of this process */
export function createSharedRuns(open: () => Promise<Database>, clock: Clock): SharedRuns {
  const appends = createGroups<Append, Appended>(async (group) => {
    const database = await open();
    return database.transaction().execute(async (transaction) => {
      const done: Appended[] = [];
      for (const one of group) done.push(await append(transaction, one, clock.now()));
      return done;
    });
  });
  return {
    async head(run) {
      const row = await (await open())
        .selectFrom('shared_run')
        .select(['seq', 'expires_at'])
        .where('run', '=', run)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return row === undefined ? undefined : { seq: Number(row.seq), expiresAt: Number(row.expires_at) };
    },
    async read(run, after, most) {
      const rows = await (await open())
        .selectFrom('shared_run_row')
        .select(['seq', 'sealed', 'body', 'size'])
        .where('run', '=', run)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(most)
        .execute();
      return rows.map(({ seq, sealed, body, size }) => ({
        ...{ seq: Number(seq), sealed, body: body ?? undefined, size: Number(size) },
      }));
    },
    append: (run, row, limits) => appends.add({ run, row, limits }),
    async touch(run, expiresAt) {
      await (await open())
        .updateTable('shared_run')
        .set({ expires_at: expiresAt })
        .where('run', '=', run)
        .where('expires_at', '<', expiresAt)
        .execute();
    },
    async trim(most) {
      const database = await open();
      await database.transaction().execute((transaction) => forgetRuns(transaction, clock.now()));
      const { sum } = await database
        .selectFrom('shared_run')
        .select((select) => select.fn.sum<number | null>('size').as('sum'))
        .executeTakeFirstOrThrow();
      let size = Number(sum ?? 0);
      while (size > most) {
        const oldest = await database
          .selectFrom('shared_run')
          .select(['run', 'size'])
          .where('size', '>', 0)
          .orderBy('expires_at')
          .limit(MANY)
          .execute();
        if (oldest.length === 0) return;
        for (const one of oldest) {
          if (size <= most) return;
          await strip(database, one.run);
          size -= Number(one.size);
        }
      }
    },
  };
}

interface Append {
  readonly run: string;
  readonly row: RunRow;
  readonly limits: Parameters<SharedRuns['append']>[2];
}

type Appended = Awaited<ReturnType<SharedRuns['append']>>;

async function append(transaction: Transaction<Tables>, { run, row, limits }: Append, now: number): Promise<Appended> {
  if (row.seq === 1) {
    await forgetRuns(transaction, now, run);
    await forgetRuns(transaction, now);
    const { count } = await transaction
      .selectFrom('shared_run')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) >= limits.mostRuns) return 'full';
  }
  if (!(await advance(transaction, { run, row, expiresAt: limits.expiresAt }))) return 'behind';
  const { seq, sealed, body, size } = row;
  await transaction
    .insertInto('shared_run_row')
    .values({ run, seq, sealed, body: body ?? null, size })
    .execute();
  return 'done';
}

/** Compare and set: of two processes that write the same row one does, and whoever reads finds no gap. */
async function advance(
  transaction: Transaction<Tables>,
  { run, row, expiresAt }: { readonly run: string; readonly row: RunRow; readonly expiresAt: number },
): Promise<boolean> {
  const { seq, size } = row;
  if (seq === 1) {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('shared_run')
      .values({ run, seq, size, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column('run').doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await transaction
    .updateTable('shared_run')
    .set((is) => ({ seq, size: is('size', '+', size), expires_at: expiresAt }))
    .where('run', '=', run)
    .where('seq', '=', seq - 1)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/**
 * Some of those that are over, or the one that is named. @returns how many. By their names, since a database that is asked for those of a
 * subquery may look at every row there is.
 */
export async function forgetRuns(transaction: Transaction<Tables>, now: number, run?: string): Promise<number> {
  const query = transaction.selectFrom('shared_run').select('run').where('expires_at', '<=', now).limit(MANY);
  const over = await (run === undefined ? query : query.where('run', '=', run)).execute();
  if (over.length === 0) return 0;
  const runs = over.map((one) => one.run);
  await transaction.deleteFrom('shared_run_row').where('run', 'in', runs).execute();
  await transaction.deleteFrom('shared_run').where('run', 'in', runs).execute();
  return runs.length;
}

function strip(database: Database, run: string): Promise<void> {
  return database.transaction().execute(async (transaction) => {
    await transaction.updateTable('shared_run').set({ size: 0 }).where('run', '=', run).execute();
    await transaction.updateTable('shared_run_row').set({ body: null, size: 0 }).where('run', '=', run).execute();
  });
}
