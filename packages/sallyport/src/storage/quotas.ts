import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { QuotaAsk, QuotaCounts, Standing, Taken } from '../guard/limit-ports.ts';
import type { Database } from './database.ts';
import type { QuotaRow } from './tables.ts';

export interface QuotasOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Subjects counted one by one per rule; the others share one count. */
  readonly maxSubjects?: number | undefined;
}

export interface Quotas extends QuotaCounts {
  /** Writes what has not been written. */
  saved(): Promise<void>;
  close(): Promise<void>;
}

/** Counts are written together this often: a crash forgets at most the calls of this time. Milliseconds. */
const SAVE_MS = 1_000;
/** Rules in the table at once; a configuration has at most 64. */
const MAX_RULES = 256;
/** Rows per statement: SQLite takes 32,766 variables. */
const BATCH = 500;
/** Who found no room is counted with the others who did not. No caller, tool or server has an empty name. */
const OTHERS = '';

interface Counts {
  readonly rule: string;
  readonly used: Map<string, number>;
  /** Subjects whose count was not written yet. */
  readonly unsaved: Set<string>;
  readonly period: string;
  readonly endsAt: number;
}

/** Opens the counts when the first call asks for them: most configurations have no quota and need no database for it. */
export function createLateQuotas(open: () => Promise<Quotas>): QuotaCounts & { close(): Promise<void> } {
  let quotas: Quotas | undefined;
  let opening: Promise<Quotas> | undefined;
  return {
    take(asks) {
      if (quotas !== undefined) return quotas.take(asks);
      opening ??= open();
      return opening.then(
        (opened) => {
          quotas = opened;
          return opened.take(asks);
        },
        (error: unknown) => {
          // The guard denies this call; the next one tries again.
          opening = undefined;
          throw error;
        },
      );
    },
    async close() {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** Calls per calendar day and month: counted in memory, kept in the database. @throws when the table cannot be read. */
export async function openQuotas(options: QuotasOptions): Promise<Quotas> {
  const { database, clock, log, maxSubjects = 10_000 } = options;
  const rules = new Map<string, Counts>();
  const unsaved = new Set<Counts>();
  const known = await readCurrent(database, clock.now());
  let saving: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  function countsOf({ rule, window }: QuotaAsk, now: number): Counts {
    const id = `${window} ${rule}`;
    const current = rules.get(id);
    // A clock set back goes on counting in the window it was in.
    if (current !== undefined && now < current.endsAt) return current;
    for (const oldest of rules.keys()) if (rules.size >= MAX_RULES) rules.delete(oldest);
    const counts: Counts = { rule, used: new Map(), unsaved: new Set(), ...toPeriod(window, now) };
    if (current === undefined)
      for (const row of known)
        if (row.rule === rule && row.period === counts.period && counts.used.size < maxSubjects)
          counts.used.set(row.subject, row.used);
    rules.set(id, counts);
    return counts;
  }

  async function writeAll(): Promise<void> {
    const taken = [...unsaved].map((counts) => ({ counts, subjects: [...counts.unsaved] }));
    unsaved.clear();
    for (const { counts } of taken) counts.unsaved.clear();
    const rows = taken.flatMap(({ counts, subjects }) => subjects.map((subject) => toRow(counts, subject)));
    try {
      for (let at = 0; at < rows.length; at += BATCH) await upsert(database, rows.slice(at, at + BATCH));
      await forgetOld(database, clock.now());
      failing = false;
    } catch (error) {
      for (const { counts, subjects } of taken) for (const subject of subjects) note(counts, subject);
      if (!failing) log.error({ error }, 'the counts of the quotas could not be saved; they go on in memory');
      failing = true;
    }
  }

  function save(): Promise<void> {
    saving ??= writeAll().finally(() => {
      saving = undefined;
    });
    return saving;
  }

  function note(counts: Counts, subject: string): void {
    counts.unsaved.add(subject);
    unsaved.add(counts);
    timer ??= setTimeout(() => {
      timer = undefined;
      void save();
    }, SAVE_MS).unref();
  }

  return {
    take(asks): Taken {
      const now = clock.now();
      const places: { readonly counts: Counts; readonly subject: string; readonly left: number }[] = [];
      let refusedBy: number | undefined;
      for (const ask of asks) {
        const counts = countsOf(ask, now);
        const room = counts.used.has(ask.key) || counts.used.size < maxSubjects;
        const subject = room ? ask.key : OTHERS;
        const left = ask.limit - (counts.used.get(subject) ?? 0);
        if (left < 1) refusedBy ??= places.length;
        places.push({ counts, subject, left });
      }
      const taken = refusedBy === undefined ? 1 : 0;
      const standings = places.map(
        ({ counts, left }): Standing => ({
          left: Math.max(0, left - taken),
          resetMs: Math.max(0, counts.endsAt - now),
        }),
      );
      if (refusedBy !== undefined) return { standings, refusedBy };
      for (const { counts, subject } of places) {
        counts.used.set(subject, (counts.used.get(subject) ?? 0) + 1);
        note(counts, subject);
      }
      return { standings, refusedBy: undefined };
    },
    async saved() {
      while (unsaved.size > 0 && !failing) await save();
      await saving;
    },
    async close() {
      clearTimeout(timer);
      await saving;
      if (unsaved.size > 0) await save();
    },
  };
}

/** What has been written of the counts of this day and this month; at most a second old. */
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

function toRow({ rule, period, used }: Counts, subject: string): QuotaRow {
  return { rule, subject, period, used: used.get(subject) ?? 0 };
}

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

async function upsert(database: Database, rows: readonly QuotaRow[]): Promise<void> {
  if (rows.length === 0) return;
  await database
    .insertInto('quotas')
    .values(rows.map((row) => ({ ...row, subject: toColumn(row.subject) })))
    .onConflict((conflict) =>
      conflict.columns(['rule', 'subject', 'period']).doUpdateSet((to) => ({ used: to.ref('excluded.used') })),
    )
    .execute();
}

async function forgetOld(database: Database, now: number): Promise<void> {
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
