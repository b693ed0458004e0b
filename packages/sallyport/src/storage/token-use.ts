import type { Clock } from '../core/clock.ts';
import type { Database } from './database.ts';
import type { UseRow } from './tables.ts';

/** What calls moved over time, of all processes on the state directory. */
export interface TokenUseStore {
  /** Adds to what there is. */
  add(rows: readonly UseRow[]): Promise<void>;
  /** From the day `since` on, day by day. */
  read(since: string): Promise<readonly UseRow[]>;
}

/** Older days are forgotten. */
const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
const MOST_ROWS = 200_000;

export function createTokenUse(database: Database, clock: Clock): TokenUseStore {
  let tidied = '';
  return {
    async add(rows) {
      await database.transaction().execute(async (transaction) => {
        for (const row of rows)
          await transaction
            .insertInto('token_use')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['day', 'upstream', 'target']).doUpdateSet((to) => ({
                calls: to('token_use.calls', '+', row.calls),
                request_bytes: to('token_use.request_bytes', '+', row.request_bytes),
                result_bytes: to('token_use.result_bytes', '+', row.result_bytes),
              })),
            )
            .execute();
        const today = toDay(clock.now());
        if (tidied === today) return;
        await transaction
          .deleteFrom('token_use')
          .where('day', '<', toDay(clock.now() - KEPT_DAYS * DAY_MS))
          .execute();
        tidied = today;
      });
    },
    async read(since) {
      const rows = await database
        .selectFrom('token_use')
        .selectAll()
        .where('day', '>=', since)
        .orderBy('day')
        .limit(MOST_ROWS)
        .execute();
      return rows.map((row) => ({
        ...row,
        calls: Number(row.calls),
        request_bytes: Number(row.request_bytes),
        result_bytes: Number(row.result_bytes),
      }));
    },
  };
}

/** The day (UTC) of a time. */
export function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
