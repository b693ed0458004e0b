import { type Selectable, sql, type Transaction } from 'kysely';
import { type Definition, PIN_KINDS, type Pin, type PinKind, type Sighting } from '../catalog/pins/pin.ts';
import type { Database } from './database.ts';
import type { PinTable, Tables } from './tables.ts';

/** A decision of a person about one definition that they saw. */
export interface PinDecision {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  /** Of the definition that was looked at: a server that changed it since has not been approved. */
  readonly digest: string;
  readonly decision: 'approve' | 'reject';
  readonly by: string;
}

export interface PinStore {
  /** All pins, or those written after `revision`; the highest revision among them comes along. */
  read(after?: number): Promise<{ readonly pins: readonly Pin[]; readonly revision: number }>;
  /** Never takes back an approval: what another Sallyport approved at first sight stays. */
  keep(sightings: readonly Sighting[], at: string): Promise<void>;
  /** The items that offered another definition by now, and were left alone. All others are decided, or none. */
  decide(decisions: readonly PinDecision[], at: string): Promise<readonly PinDecision[]>;
}

/** Pins in the database. Every write carries a new revision, by which other processes notice it. */
export function createPinStore(database: Database): PinStore {
  return {
    async read(after = 0) {
      const rows = await database.selectFrom('pin').selectAll().where('revision', '>', after).execute();
      const revision = rows.reduce((highest, row) => Math.max(highest, row.revision), after);
      return { pins: rows.flatMap((row) => toPin(row) ?? []), revision };
    },
    keep: (sightings, at) =>
      database.transaction().execute(async (transaction) => {
        const revision = await nextRevision(transaction);
        for (const sighting of sightings) await keepOne(transaction, sighting, { at, revision });
      }),
    decide: (decisions, at) =>
      database.transaction().execute(async (transaction) => {
        const revision = await nextRevision(transaction);
        const late: PinDecision[] = [];
        for (const decision of decisions) {
          if (!(await decideOne(transaction, decision, { at, revision }))) late.push(decision);
        }
        return late;
      }),
  };
}

interface Stamp {
  readonly at: string;
  readonly revision: number;
}

/** Begins with a write, so that the lock is there before anything is read: SQLite refuses to take it later (SQLITE_BUSY_SNAPSHOT). */
async function nextRevision(transaction: Transaction<Tables>): Promise<number> {
  await transaction.updateTable('pin').set({ revision: 0 }).where('server', '=', '').execute();
  const row = await transaction
    .selectFrom('pin')
    .select(({ fn }) => fn.max('revision').as('highest'))
    .executeTakeFirst();
  return (row?.highest ?? 0) + 1;
}

async function keepOne(transaction: Transaction<Tables>, sighting: Sighting, { at, revision }: Stamp): Promise<void> {
  const { server, kind, name, definition, approve, renamedFrom } = sighting;
  const { digest, content, text } = definition;
  const seen = { seen_digest: digest, seen_content: content, seen_text: text, seen_at: at, revision };
  const approval = { approved_digest: digest, approved_content: content, approved_text: text };
  const first = { ...approval, approved_by: 'first sight', approved_at: at };
  await transaction
    .insertInto('pin')
    .values({ server, kind, name, ...seen, ...(approve ? first : {}), renamed_from: renamedFrom ?? null })
    .onConflict((conflict) => conflict.columns(['server', 'kind', 'name']).doUpdateSet(seen))
    .execute();
  if (!approve) return;
  await transaction
    .updateTable('pin')
    .set(first)
    .where('server', '=', server)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('approved_digest', 'is', null)
    .where('rejected', 'is', null)
    .execute();
}

async function decideOne(transaction: Transaction<Tables>, made: PinDecision, stamp: Stamp): Promise<boolean> {
  const { server, kind, name, digest, decision, by } = made;
  const { at, revision } = stamp;
  const query = transaction
    .updateTable('pin')
    .where('server', '=', server)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('seen_digest', '=', digest);
  const result =
    decision === 'reject'
      ? await query.set({ rejected: digest, revision }).executeTakeFirst()
      : await query
          .set({
            approved_digest: sql`seen_digest`,
            approved_content: sql`seen_content`,
            approved_text: sql`seen_text`,
            approved_by: by,
            approved_at: at,
            rejected: null,
            revision,
          })
          .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** `undefined`: a kind of a newer Sallyport. */
function toPin(row: Selectable<PinTable>): Pin | undefined {
  const kind = PIN_KINDS.find((one) => one === row.kind);
  if (kind === undefined) return undefined;
  return {
    server: row.server,
    kind,
    name: row.name,
    approved: toDefinition(row.approved_digest, row.approved_content, row.approved_text),
    seen: toDefinition(row.seen_digest, row.seen_content, row.seen_text),
    rejected: row.rejected ?? undefined,
    renamedFrom: row.renamed_from ?? undefined,
    approvedBy: row.approved_by ?? undefined,
    approvedAt: row.approved_at ?? undefined,
    seenAt: row.seen_at ?? undefined,
  };
}

function toDefinition(digest: string | null, content: string | null, text: string | null): Definition | undefined {
  return digest === null || text === null ? undefined : { digest, content: content ?? '', text };
}
