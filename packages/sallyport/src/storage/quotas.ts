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
      const counting: Counting = { transaction, maxSubjects, at, rows: new Map() };
      const taken: Taken[] = [];
      for (const asks of group) taken.push(await takeOne(counting, asks));
      for (const row of counting.rows.values()) if (row.added > 0) await write(transaction, row);
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
  /** Those a group has met: each is read once and written once, however many calls it counts. */
  readonly rows: Map<string, Row>;
}

interface Row extends QuotaRow {
  /** By this group. */
  added: number;
}

/** All or nothing: one that refuses leaves the others as they are. */
async function takeOne(counting: Counting, asks: readonly QuotaAsk[]): Promise<Taken> {
  const places = [];
  for (const { rule, key, limit, window } of asks) {
    const { period, endsAt } = toPeriod(window, counting.at);
    const row = await findRow(counting, { rule, subject: toColumn(key), period });
    places.push({ row, limit, resetMs: Math.max(0, endsAt - counting.at) });
  }
  const leftOf = ({ row, limit }: { readonly row: Row; readonly limit: number }) => limit - row.used - row.added;
  const refused = places.findIndex((place) => leftOf(place) < 1);
  if (refused < 0) for (const { row } of places) row.added++;
  const standings = places.map((place) => ({ left: Math.max(0, leftOf(place)), resetMs: place.resetMs }));
  return { standings, refusedBy: refused < 0 ? undefined : refused };
}

/** The row of a subject, or that of the others where there is no room for one of its own. */
async function findRow(counting: Counting, wanted: Omit<QuotaRow, 'used'>): Promise<Row> {
  const known = counting.rows.get(toId(wanted)) ?? (await readRow(counting, wanted));
  if (known !== undefined) return known;
  if (await hasRoom(counting, wanted)) return keep(counting, { ...wanted, used: 0, added: 0 });
  const others = { ...wanted, subject: OTHERS };
  const shared = counting.rows.get(toId(others)) ?? (await readRow(counting, others));
  return shared ?? keep(counting, { ...others, used: 0, added: 0 });
}

async function readRow(
  counting: Counting,
  { rule, subject, period }: Omit<QuotaRow, 'used'>,
): Promise<Row | undefined> {
  const found = await counting.transaction
    .selectFrom('quotas')
    .select('used')
    .where('rule', '=', rule)
    .where('subject', '=', subject)
    .where('period', '=', period)
    .executeTakeFirst();
  return found && keep(counting, { rule, subject, period, used: found.used, added: 0 });
}

async function hasRoom(counting: Counting, { rule, period }: Omit<QuotaRow, 'used'>): Promise<boolean> {
  const { count } = await counting.transaction
    .selectFrom('quotas')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('rule', '=', rule)
    .where('period', '=', period)
    .executeTakeFirstOrThrow();
  const isNew = (row: Row) => row.rule === rule && row.period === period && row.used === 0 && row.added > 0;
  return count + [...counting.rows.values()].filter(isNew).length < counting.maxSubjects;
}

function keep({ rows }: Counting, row: Row): Row {
  rows.set(toId(row), row);
  return row;
}

/** No column holds NUL. */
function toId({ rule, subject, period }: Omit<QuotaRow, 'used'>): string {
  return `${rule}\0${subject}\0${period}`;
}

async function write(transaction: Kysely<Tables>, { rule, subject, period, added }: Row): Promise<void> {
  await transaction
    .insertInto('quotas')
    .values({ rule, subject, period, used: added })
    .onConflict((conflict) =>
      conflict.columns(['rule', 'subject', 'period']).doUpdateSet((to) => ({ used: to('quotas.used', '+', added) })),
    )
    .execute();
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
