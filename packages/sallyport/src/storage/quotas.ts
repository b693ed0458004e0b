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

/** Calls written ahead are at most one in so many of those left: the last ones are counted one by one. */
const SHARE_AHEAD = 64;
const MOST_AHEAD = 1_024;
/** How long a process that makes no calls keeps what it wrote ahead. */
const KEPT_MS = 1_000;

/** The counts of one process. */
export interface OpenQuotas extends QuotaCounts {
  /** Gives back what was written ahead. */
  close(): Promise<void>;
}

/**
 * Calls per calendar day and month, counted in the database: what one process lets through, all others know. Far from the limit a
 * process writes some calls ahead, which then wait for nothing. The others wait for a commit; those that come at once share one.
 * A process that is killed leaves at most one in 64 of the calls that were left counted and not made, never the other way round.
 * @throws by the promise where it cannot be counted: then the guard denies.
 */
export function createQuotas({ database, clock, maxSubjects = 10_000 }: QuotasOptions): OpenQuotas {
  let latest = 0;
  let tidied = '';
  let timer: NodeJS.Timeout | undefined;
  const ahead = new Map<string, Ahead>();

  /** A clock set back goes on counting in the window it was in. */
  function now(): number {
    latest = Math.max(latest, clock.now());
    return latest;
  }

  const groups = createGroups<readonly QuotaAsk[], Taken>(async (group) => {
    const open = await database();
    const at = now();
    const rows = new Map<string, Row>();
    const borrowed = new Map<string, Ahead>();
    try {
      const taken = await open.transaction().execute(async (transaction) => {
        const { period: today } = toPeriod('day', at);
        if (tidied !== today) await forgetOld(transaction, at);
        const counting: Counting = { transaction, maxSubjects, at, rows, borrowed, ahead };
        const answers: Taken[] = [];
        for (const asks of group) answers.push(await takeOne(counting, asks));
        for (const row of rows.values()) {
          writeAhead(row);
          if (row.added > 0) await write(transaction, row);
        }
        tidied = today;
        return answers;
      });
      for (const [id, { rule, subject, period, used, added, spare }] of rows)
        if (spare > 0) keep({ rule, subject, period, used: used + added, spare, isUsed: true }, id);
      return taken;
    } catch (error) {
      // Nothing was written: what was ahead before is so still.
      for (const [id, one] of borrowed) keep(one, id);
      throw error;
    }
  });

  /** All or nothing, and without a wait: `undefined` where one of them has to be written first. */
  function takeAhead(asks: readonly QuotaAsk[]): Taken | undefined {
    const at = now();
    const found: Ahead[] = [];
    for (const { rule, key, limit, window } of asks) {
      const one = ahead.get(toId({ rule, subject: toColumn(key), period: toPeriod(window, at).period }));
      if (one === undefined || limit - one.used + one.spare < 1) return undefined;
      found.push(one);
    }
    const standings = asks.map(({ limit, window }, index) => {
      const one = found[index] as Ahead;
      one.isUsed = true;
      if (--one.spare === 0) ahead.delete(toId(one));
      return { left: limit - one.used + one.spare, resetMs: Math.max(0, toPeriod(window, at).endsAt - at) };
    });
    return { standings, refusedBy: undefined };
  }

  function keep(one: Ahead, id = toId(one)): void {
    const other = ahead.get(id);
    if (other === undefined) ahead.set(id, one);
    else other.spare += one.spare;
    timer ??= setTimeout(settle, KEPT_MS).unref();
  }

  function settle(): void {
    timer = undefined;
    void giveBack(({ isUsed }) => !isUsed);
    for (const one of ahead.values()) one.isUsed = false;
    if (ahead.size > 0) timer ??= setTimeout(settle, KEPT_MS).unref();
  }

  /** Never rejects: what cannot be given back now is kept, and counts as used. */
  async function giveBack(which: (one: Ahead) => boolean): Promise<void> {
    const going = [...ahead.values()].filter(which);
    for (const one of going) ahead.delete(toId(one));
    if (going.length === 0) return;
    try {
      const open = await database();
      await open.transaction().execute(async (transaction) => {
        for (const one of going) await write(transaction, { ...one, added: -one.spare });
      });
    } catch {
      for (const one of going) keep(one);
    }
  }

  return {
    take: (asks) => takeAhead(asks) ?? groups.add(asks),
    async close() {
      await giveBack(() => true);
      clearTimeout(timer);
    },
  };
}

/** What this process wrote as used and has not used yet; `used` counts it in. */
interface Ahead extends QuotaRow {
  spare: number;
  /** Since the last look. */
  isUsed: boolean;
}

interface Counting {
  readonly transaction: Kysely<Tables>;
  readonly maxSubjects: number;
  readonly at: number;
  /** Those a group has met: each is read once and written once, however many calls it counts. */
  readonly rows: Map<string, Row>;
  /** What was ahead, while a group counts it. */
  readonly borrowed: Map<string, Ahead>;
  readonly ahead: Map<string, Ahead>;
}

interface Row extends QuotaRow {
  /** By this group. */
  added: number;
  /** Written earlier by this process and not used yet. */
  spare: number;
  limit: number;
}

/** All or nothing: one that refuses leaves the others as they are. */
async function takeOne(counting: Counting, asks: readonly QuotaAsk[]): Promise<Taken> {
  const places = [];
  for (const { rule, key, limit, window } of asks) {
    const { period, endsAt } = toPeriod(window, counting.at);
    const row = await findRow(counting, { rule, subject: toColumn(key), period });
    row.limit = limit;
    places.push({ row, resetMs: Math.max(0, endsAt - counting.at) });
  }
  const refused = places.findIndex(({ row }) => leftOf(row) < 1);
  if (refused < 0) {
    for (const { row } of places) {
      if (row.spare > 0) row.spare--;
      else row.added++;
    }
  }
  const standings = places.map(({ row, resetMs }) => ({ left: Math.max(0, leftOf(row)), resetMs }));
  return { standings, refusedBy: refused < 0 ? undefined : refused };
}

function leftOf({ limit, used, added, spare }: Row): number {
  return limit - used - added + spare;
}

function writeAhead(row: Row): void {
  if (row.spare > 0 || row.added === 0) return;
  row.spare = Math.min(MOST_AHEAD, Math.floor(leftOf(row) / SHARE_AHEAD));
  row.added += row.spare;
}

/** The row of a subject, or that of the others where there is no room for one of its own. */
async function findRow(counting: Counting, wanted: Omit<QuotaRow, 'used'>): Promise<Row> {
  const known = counting.rows.get(toId(wanted)) ?? (await readRow(counting, wanted));
  if (known !== undefined) return known;
  if (await hasRoom(counting, wanted)) return addRow(counting, { ...wanted, used: 0 });
  const others = { ...wanted, subject: OTHERS };
  const shared = counting.rows.get(toId(others)) ?? (await readRow(counting, others));
  return shared ?? addRow(counting, { ...others, used: 0 });
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
  return found && addRow(counting, { rule, subject, period, used: found.used });
}

function addRow({ rows, ahead, borrowed }: Counting, found: QuotaRow): Row {
  const id = toId(found);
  const mine = ahead.get(id);
  if (mine !== undefined) borrowed.set(id, mine);
  ahead.delete(id);
  const row = { ...found, added: 0, spare: mine?.spare ?? 0, limit: 0 };
  rows.set(id, row);
  return row;
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

/** No column holds NUL. */
function toId({ rule, subject, period }: Omit<QuotaRow, 'used'>): string {
  return `${rule}\0${subject}\0${period}`;
}

async function write(
  transaction: Kysely<Tables>,
  { rule, subject, period, added }: Pick<Row, 'rule' | 'subject' | 'period' | 'added'>,
): Promise<void> {
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

interface Period {
  readonly period: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** The last one asked for of each kind, which is the next one asked for as a rule. */
const periods = new Map<QuotaAsk['window'], Period>();

function toPeriod(window: QuotaAsk['window'], now: number): Period {
  const last = periods.get(window);
  if (last !== undefined && last.startsAt <= now && now < last.endsAt) return last;
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const iso = date.toISOString();
  const made =
    window === 'day'
      ? { period: iso.slice(0, 10), startsAt: Date.UTC(year, month, day), endsAt: Date.UTC(year, month, day + 1) }
      : { period: iso.slice(0, 7), startsAt: Date.UTC(year, month), endsAt: Date.UTC(year, month + 1) };
  periods.set(window, made);
  return made;
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
