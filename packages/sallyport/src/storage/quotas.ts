import type { Kysely } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { QuotaAsk, QuotaCounts, Taken } from '../guard/limit-ports.ts';
import type { Database } from './database.ts';
import { createGroups } from './groups.ts';
import type { QuotaRow, Tables } from './tables.ts';

export interface QuotasOptions {
  /** Asked by the first call that falls under a quota: most configurations have none and need no database for it. */
  readonly database: () => Promise<Database>;
  readonly clock: Clock;
  /** Subjects counted one by one per rule; the others share one count. */
  readonly maxSubjects?: number | undefined;
}

/** Who found no room is counted with the others who did not. No caller, tool or server has an empty name. */
const OTHERS = '';

/**
 * Calls per calendar day and month, counted in the database: what one process lets through, all others know. A call that
 * falls under a quota waits for a commit; those that come at once share one. @throws by the promise where it cannot be
 * counted: then the guard denies.
 */
export function createQuotas({ database, clock, maxSubjects = 10_000 }: QuotasOptions): QuotaCounts {
  let latest = 0;
  let tidied = '';

  /** A clock set back goes on counting in the window it was in. */
  function now(): number {
    latest = Math.max(latest, clock.now());
    return latest;
  }

  const groups = createGroups<readonly QuotaAsk[], Taken>(async (group) => {
    const open = await database();
    const at = now();
    return open.transaction().execute(async (transaction) => {
      const { period: today } = toPeriod('day', at);
      if (tidied !== today) await forgetOld(transaction, at);
      const taken: Taken[] = [];
      for (const asks of group) taken.push(await takeOne({ transaction, maxSubjects, at }, asks));
      tidied = today;
      return taken;
    });
  });
  return { take: (asks) => groups.add(asks) };
}

interface Counting {
  readonly transaction: Kysely<Tables>;
  readonly maxSubjects: number;
  readonly at: number;
}

/** All or nothing: one that refuses leaves the others as they are. */
async function takeOne(counting: Counting, asks: readonly QuotaAsk[]): Promise<Taken> {
  const { transaction, at } = counting;
  const places = [];
  for (const { rule, key, limit, window } of asks) {
    const { period, endsAt } = toPeriod(window, at);
    const row = await findRow(counting, { rule, subject: toColumn(key), period });
    places.push({ row, left: limit - row.used, resetMs: Math.max(0, endsAt - at) });
  }
  const refused = places.findIndex(({ left }) => left < 1);
  const taken = refused < 0 ? 1 : 0;
  const standings = places.map(({ left, resetMs }) => ({ left: Math.max(0, left - taken), resetMs }));
  if (refused >= 0) return { standings, refusedBy: refused };
  for (const { row } of places)
    await transaction
      .insertInto('quotas')
      .values({ ...row, used: 1 })
      .onConflict((conflict) =>
        conflict.columns(['rule', 'subject', 'period']).doUpdateSet((to) => ({ used: to('quotas.used', '+', 1) })),
      )
      .execute();
  return { standings, refusedBy: undefined };
}

/** The row of a subject, or that of the others where there is no room for one of its own. */
async function findRow(
  { transaction, maxSubjects }: Counting,
  { rule, subject, period }: Omit<QuotaRow, 'used'>,
): Promise<QuotaRow> {
  const rows = transaction.selectFrom('quotas').where('rule', '=', rule).where('period', '=', period);
  const usedBy = async (who: string) => (await rows.select('used').where('subject', '=', who).executeTakeFirst())?.used;
  const used = await usedBy(subject);
  if (used !== undefined) return { rule, subject, period, used };
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  if (count < maxSubjects) return { rule, subject, period, used: 0 };
  return { rule, subject: OTHERS, period, used: (await usedBy(OTHERS)) ?? 0 };
}

/** The counts of this day and this month. */
export async function readQuotaUse(
  database: Database,
  now: number,
): Promise<readonly (QuotaRow & { readonly window: QuotaAsk['window'] })[]> {
  const rows = await readCurrent(database, now);
  return rows.map((row) => ({ ...row, window: row.period.length === DAY_LENGTH ? 'day' : 'month' }));
}

/** When the window ends that `now` is in. */
export function endOfWindow(window: QuotaAsk['window'], now: number): number {
  return toPeriod(window, now).endsAt;
}

/** Of `2026-01-31`; a month is shorter. */
const DAY_LENGTH = 10;

function toPeriod(window: QuotaAsk['window'], now: number): { readonly period: string; readonly endsAt: number } {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const iso = date.toISOString();
  return window === 'day'
    ? { period: iso.slice(0, 10), endsAt: Date.UTC(year, month, day + 1) }
    : { period: iso.slice(0, 7), endsAt: Date.UTC(year, month + 1, 1) };
}

function periodsOf(now: number): string[] {
  return [toPeriod('day', now).period, toPeriod('month', now).period];
}

async function readCurrent(database: Database, now: number): Promise<QuotaRow[]> {
  const rows = await database
    .selectFrom('quotas')
    .selectAll()
    .where('period', 'in', periodsOf(now))
    .orderBy('used', 'desc')
    .limit(1_000_000)
    .execute();
  return rows.map((row) => ({ ...row, subject: fromColumn(row.subject) }));
}

/** A text of SQLite ends at NUL, which stands between the parts of a subject: two tools would share one row. */
function toColumn(subject: string): string {
  return subject.replaceAll('%', '%25').replaceAll('\0', '%00');
}

function fromColumn(text: string): string {
  return text.replaceAll('%00', '\0').replaceAll('%25', '%');
}

async function forgetOld(database: Kysely<Tables>, now: number): Promise<void> {
  // ISO dates sort as text; a clock set forward once must not make us forget today.
  const [day = '', month = ''] = periodsOf(now);
  await database
    .deleteFrom('quotas')
    .where((is) =>
      is.or([
        is.and([is(is.fn<number>('length', ['period']), '=', 10), is('period', '<', day)]),
        is.and([is(is.fn<number>('length', ['period']), '=', 7), is('period', '<', month)]),
      ]),
    )
    .execute();
}
