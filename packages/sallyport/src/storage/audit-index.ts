import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type {
  AuditFilter,
  AuditIndex,
  FoundPage,
  FoundRecord,
  IndexedRecord,
  IndexedSegment,
} from '../core/audit-index.ts';
import { FaultError } from '../core/errors.ts';
import type { Database } from './database.ts';
import type { AuditRecordTable, Tables } from './tables.ts';

/** Rows one statement looks at: some 5 ms, in which the process does nothing else. */
const SPAN = 5_000;
/** Rows one page looks at; what is further away is on the next page. */
const MAX_LOOKED_AT = 500_000;
/** Rows one statement deletes: some 5 ms as well. */
const FORGOTTEN_AT_ONCE = 500;
/** Values in one list of a statement. */
const MAX_LIST = 500;

/** The index of the audit in the database. */
export function createAuditIndex(database: Database): AuditIndex {
  return {
    async segments() {
      return database.selectFrom('audit_segment').selectAll().orderBy('id').execute();
    },

    async count({ id }) {
      const { records } = await database
        .selectFrom('audit_record')
        .select(({ fn }) => fn.countAll<number>().as('records'))
        .where('segment', '=', id)
        .executeTakeFirstOrThrow();
      return Number(records);
    },

    async add(segment) {
      const row = { ...segment, bytes: 0, records: 0 };
      await database
        .insertInto('audit_segment')
        .values(row)
        .onConflict((conflict) => conflict.columns(['directory', 'chain', 'name']).doNothing())
        .execute();
      return database
        .selectFrom('audit_segment')
        .selectAll()
        .where('directory', '=', segment.directory)
        .where('chain', '=', segment.chain)
        .where('name', '=', segment.name)
        .executeTakeFirstOrThrow();
    },

    put: (segment, to, rows) => putRows(database, { ...segment, bytes: to }, { from: segment.bytes, rows }),

    async forget(segments) {
      for (const { id } of segments) await forgetSegment(database, id);
    },

    find: (filter, limit, cursor) =>
      filter.callId === undefined ? findPage(database, filter, { limit, cursor }) : findCall(database, filter),

    async recordsOf(callIds) {
      const found: FoundRecord[] = [];
      for (let at = 0; at < callIds.length; at += MAX_LIST) {
        const rows = await all(database)
          .where('record.call_id', 'in', callIds.slice(at, at + MAX_LIST))
          .orderBy('record.segment')
          .orderBy('record.offset')
          .execute();
        found.push(...rows.map(toFound));
      }
      return found;
    },
  };
}

function putRows(
  database: Database,
  after: IndexedSegment,
  { from, rows }: { readonly from: number; readonly rows: readonly IndexedRecord[] },
): Promise<IndexedSegment | undefined> {
  return database.transaction().execute(async (transaction) => {
    const records = after.records + rows.length;
    // Writes first, and only over what it read before: of two processes that index, one gets each piece.
    const { numUpdatedRows } = await transaction
      .updateTable('audit_segment')
      .set({ bytes: after.bytes, records })
      .where('id', '=', after.id)
      .where('bytes', '=', from)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return undefined;
    const ended = new Set(rows.flatMap(({ kind, callId }) => (kind === 'outcome' && callId !== null ? [callId] : [])));
    if (rows.length > 0)
      await transaction
        .insertInto('audit_record')
        .values(rows.map((row) => toRow(after.id, row, ended)))
        .execute();
    const earlier = [...ended].filter((id) => !rows.some((row) => row.kind === 'admitted' && row.callId === id));
    for (let at = 0; at < earlier.length; at += MAX_LIST)
      await transaction
        .updateTable('audit_record')
        .set({ outcome: null })
        .where('call_id', 'in', earlier.slice(at, at + MAX_LIST))
        .where('kind', '=', 'admitted')
        .execute();
    return { ...after, records };
  });
}

/** In pieces. Whoever is indexing it stops at the mark, and whoever indexes next ends what a kill leaves. */
async function forgetSegment(database: Database, id: number): Promise<void> {
  await database.updateTable('audit_segment').set({ bytes: -1 }).where('id', '=', id).execute();
  for (let deleted = FORGOTTEN_AT_ONCE; deleted >= FORGOTTEN_AT_ONCE; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const { numDeletedRows } = await database
      .deleteFrom('audit_record')
      .where('segment', '=', id)
      .where('offset', 'in', ({ selectFrom }) =>
        selectFrom('audit_record').select('offset').where('segment', '=', id).limit(FORGOTTEN_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    deleted = Number(numDeletedRows);
  }
  await database.deleteFrom('audit_segment').where('id', '=', id).execute();
}

function toRow(segment: number, { callId, ...row }: IndexedRecord, ended: ReadonlySet<string>): AuditRecordTable {
  const isEnded = row.kind === 'admitted' && callId !== null && ended.has(callId);
  return { ...row, segment, call_id: callId, outcome: isEnded ? null : row.outcome };
}

type Row = AuditRecordTable & { readonly chain: string; readonly name: string };

function toFound({ segment: _, name, call_id, ...rest }: Row): FoundRecord {
  return { ...rest, callId: call_id, segment: name };
}

function all(database: Database) {
  return database
    .selectFrom('audit_record as record')
    .innerJoin('audit_segment as segment', 'segment.id', 'record.segment')
    .selectAll('record')
    .select(['segment.chain', 'segment.name']);
}

interface Place {
  readonly time: string;
  readonly segment: number;
  readonly offset: number;
}

/** Span by span from the newest on, so that no statement takes long, however rare the thing that is looked for. */
async function findPage(
  database: Database,
  filter: AuditFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<FoundPage> {
  let before = cursor === undefined ? undefined : readCursor(cursor);
  const records: FoundRecord[] = [];
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += SPAN) {
    const last = await spanEnd(database, filter, before);
    const rows = await all(database)
      .where((is) => is.and([inSpan(is, filter, { before, last }), matches(is, filter)]))
      .orderBy('record.time', 'desc')
      .orderBy('record.segment', 'desc')
      .orderBy('record.offset', 'desc')
      .limit(limit - records.length)
      .execute();
    records.push(...rows.map(toFound));
    const end = records.length >= limit ? rows.at(-1) : last;
    if (end === undefined) return { records, next: undefined };
    before = { time: end.time, segment: end.segment, offset: end.offset };
    if (records.length >= limit) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { records, next: before === undefined ? undefined : toCursor(before) };
}

/** The last row of the next span; `undefined`: fewer rows than a span are left. */
function spanEnd(database: Database, filter: AuditFilter, before: Place | undefined): Promise<Place | undefined> {
  return database
    .selectFrom('audit_record as record')
    .select(['record.time', 'record.segment', 'record.offset'])
    .where((is) => inSpan(is, filter, { before, last: undefined }))
    .orderBy('record.time', 'desc')
    .orderBy('record.segment', 'desc')
    .orderBy('record.offset', 'desc')
    .offset(SPAN - 1)
    .limit(1)
    .executeTakeFirst();
}

type RecordRows = ExpressionBuilder<Tables & { readonly record: AuditRecordTable }, 'record'>;

/** After the page before, not beyond the span, and within the times that are asked for. */
function inSpan(
  is: RecordRows,
  { since, until }: AuditFilter,
  { before, last }: { readonly before: Place | undefined; readonly last: Place | undefined },
) {
  const place = sql`(record.time, record.segment, record."offset")`;
  return is.and([
    ...(since === undefined ? [] : [is('record.time', '>=', since)]),
    ...(until === undefined ? [] : [is('record.time', '<=', until)]),
    ...(before === undefined ? [] : [sql<SqlBool>`${place} < (${before.time}, ${before.segment}, ${before.offset})`]),
    ...(last === undefined ? [] : [sql<SqlBool>`${place} >= (${last.time}, ${last.segment}, ${last.offset})`]),
  ]);
}

function matches(is: RecordRows, filter: AuditFilter) {
  const { kind, principal, person, agent, upstream, tool, outcome, guard, text } = filter;
  const same = (column: 'person' | 'agent' | 'upstream' | 'outcome', value: string | undefined) =>
    value === undefined ? [] : [is(`record.${column}`, '=', value)];
  return is.and([
    ofKind(is, kind),
    ...same('person', person),
    ...same('agent', agent),
    ...same('upstream', upstream),
    ...same('outcome', outcome),
    ...(tool === undefined
      ? []
      : [is.or([is('record.tool', '=', tool), sql<SqlBool>`record.upstream || '_' || record.tool = ${tool}`])]),
    ...(principal === undefined
      ? []
      : [
          is.or(
            (['principal', 'person', 'agent', 'account'] as const).map((column) =>
              is(`record.${column}`, '=', principal),
            ),
          ),
        ]),
    ...(guard === undefined ? [] : [byGuard(is, guard)]),
    ...(text === undefined
      ? []
      : [sql<SqlBool>`record.words like ${`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`]),
  ]);
}

const CALL_KINDS = ['admitted', 'outcome', 'denied'];

/** A call is shown by the record of its end; by its admission as long as there is none. */
function ofKind(is: RecordRows, kind = 'call') {
  if (kind === 'event') return is('record.kind', 'not in', CALL_KINDS);
  if (kind !== 'call') return is('record.kind', '=', kind);
  return is.or([
    is('record.kind', 'in', ['outcome', 'denied']),
    is.and([is('record.kind', '=', 'admitted'), is('record.outcome', 'is not', null)]),
  ]);
}

/** Who refused stands on the end of a call, who rewrote it on its admission. */
function byGuard(is: RecordRows, guard: string) {
  return is.or([
    is('record.guard', '=', guard),
    is.exists(
      is
        .selectFrom('audit_record as admission')
        .select('admission.seq')
        .whereRef('admission.call_id', '=', 'record.call_id')
        .where('admission.kind', '=', 'admitted')
        .where('admission.guard', '=', guard),
    ),
  ]);
}

async function findCall(database: Database, filter: AuditFilter): Promise<FoundPage> {
  const rows = await all(database)
    .where('record.call_id', '=', filter.callId ?? '')
    .where((is) => is.and([inSpan(is, filter, { before: undefined, last: undefined }), matches(is, filter)]))
    .limit(MAX_LIST)
    .execute();
  return { records: rows.map(toFound), next: undefined };
}

function toCursor({ time, segment, offset }: Place): string {
  return `${time}~${segment}~${offset}`;
}

function readCursor(cursor: string): Place {
  const [, time, segment, offset] = /^([\d\-T:.Z]{20,30})~(\d{1,12})~(\d{1,12})$/.exec(cursor) ?? [];
  if (time === undefined) throw new FaultError('usage', 'The cursor is what "next" of the page before said.');
  return { time, segment: Number(segment), offset: Number(offset) };
}
