import { type Selectable, sql } from 'kysely';
import type { Found } from '../catalog/pins/inspection.ts';
import { type Definition, FIRST_SIGHT, PIN_KINDS, type Pin, type PinKind, type Sighting } from '../catalog/pins/pin.ts';
import type { Database } from './database.ts';
import type { PinTable } from './tables.ts';

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
  /** Takes over the pins of these servers that no configuration has yet. */
  claim(servers: readonly string[]): Promise<void>;
  /**
   * The pins written after a revision, in the order of writing, and the revision of the last one.
   * @param most rows, and those written together with the last of them; left out: all
   */
  read(after?: number, most?: number): Promise<{ readonly pins: readonly Pin[]; readonly revision: number }>;
  /** Never takes back an approval: what another Sallyport approved at first sight stays. */
  keep(sightings: readonly Sighting[], at: string): Promise<void>;
  /** The items that offered another definition by now, and were left alone. All others are decided, or none. */
  decide(decisions: readonly PinDecision[], at: string): Promise<readonly PinDecision[]>;
}

/**
 * The pins of one configuration: servers of one name in two configurations are two servers. Every write carries a new
 * revision, by which other processes notice it.
 */
export function createPinStore(database: Database, configuration: string): PinStore {
  return {
    async claim(servers) {
      if (servers.length > 0) await claim(database, configuration, servers);
    },
    async read(after = 0, most) {
      const written = database
        .selectFrom('pin')
        .where('configuration', 'in', ['', configuration])
        .where('revision', '>', after)
        .orderBy('revision');
      const last =
        most === undefined
          ? []
          : await written
              .select('revision')
              .offset(most - 1)
              .limit(1)
              .execute();
      const rows = await written
        .selectAll()
        .$if(last.length > 0, (query) => query.where('revision', '<=', last[0]?.revision ?? 0))
        .execute();
      const revision = rows.at(-1)?.revision ?? after;
      return { pins: rows.flatMap((row) => toPin(row) ?? []), revision };
    },
    async keep(sightings, at) {
      await claim(database, configuration, [...new Set(sightings.map(({ server }) => server))]);
      for (let i = 0; i < sightings.length; i += AT_ONCE)
        await keepSome(database, sightings.slice(i, i + AT_ONCE), { configuration, at });
    },
    async decide(decisions, at) {
      return database.transaction().execute(async (transaction) => {
        const late: PinDecision[] = [];
        for (const decision of decisions)
          if (!(await decideOne(transaction, decision, { configuration, at }))) late.push(decision);
        return late;
      });
    },
  };
}

/** Rows in one statement: 16 values each, and SQLite takes 32,766. */
const AT_ONCE = 500;

/** Taken in the statement that writes: no two writes have the same. */
const nextRevision = sql<number>`(select coalesce(max(revision), 0) + 1 from pin)`;

interface Written {
  readonly configuration: string;
  readonly at: string;
}

/** The first configuration that has the server takes over what was pinned before pins belonged to one. */
async function claim(database: Database, configuration: string, servers: readonly string[]): Promise<void> {
  const unclaimed = await database
    .selectFrom('pin')
    .select('server')
    .distinct()
    .where('configuration', '=', '')
    .execute();
  const mine = unclaimed.map(({ server }) => server).filter((server) => servers.includes(server));
  for (const server of mine)
    await sql`update or ignore pin set configuration = ${configuration} where configuration = '' and server = ${server}`.execute(
      database,
    );
}

async function keepSome(
  database: Database,
  sightings: readonly Sighting[],
  { configuration, at }: Written,
): Promise<void> {
  const rows = sightings.map(({ server, kind, name, definition, approve, renamedFrom, found }) => {
    const { digest, content, text } = definition;
    return {
      ...{
        configuration,
        server,
        kind,
        name,
        seen_digest: digest,
        seen_content: content,
        seen_text: text,
        seen_at: at,
      },
      approved_digest: approve ? digest : null,
      approved_content: approve ? content : null,
      approved_text: approve ? text : null,
      approved_by: approve ? FIRST_SIGHT : null,
      approved_at: approve ? at : null,
      renamed_from: renamedFrom ?? null,
      found: found === undefined ? null : JSON.stringify(found),
      revision: nextRevision,
    };
  });
  // An approval is never taken back here, nor put in the place of a refusal.
  const first = <T extends string>(column: T) =>
    sql<string | null>`case when pin.approved_digest is null and pin.rejected is null
      then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`pin.${column}`)} end`;
  await database
    .insertInto('pin')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['configuration', 'server', 'kind', 'name']).doUpdateSet((column) => ({
        seen_digest: column.ref('excluded.seen_digest'),
        seen_content: column.ref('excluded.seen_content'),
        seen_text: column.ref('excluded.seen_text'),
        // Read again by other rules is not seen anew.
        seen_at: sql<string>`case when pin.seen_digest = excluded.seen_digest then pin.seen_at else excluded.seen_at end`,
        found: sql<string | null>`case when excluded.found is null and pin.seen_digest = excluded.seen_digest
          then pin.found else excluded.found end`,
        approved_digest: first('approved_digest'),
        approved_content: first('approved_content'),
        approved_text: first('approved_text'),
        approved_by: first('approved_by'),
        approved_at: first('approved_at'),
        revision: column.ref('excluded.revision'),
      })),
    )
    .execute();
}

async function decideOne(database: Database, made: PinDecision, { configuration, at }: Written): Promise<boolean> {
  const { server, kind, name, digest, decision, by } = made;
  const approved = {
    approved_digest: sql<string>`seen_digest`,
    approved_content: sql<string>`seen_content`,
    approved_text: sql<string>`seen_text`,
    approved_by: by,
    approved_at: at,
    rejected: null,
  };
  const result = await database
    .updateTable('pin')
    .set({ revision: nextRevision, ...(decision === 'reject' ? { rejected: digest } : approved) })
    .where('configuration', 'in', ['', configuration])
    .where('server', '=', server)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('seen_digest', '=', digest)
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
    found: row.found === null ? undefined : (JSON.parse(row.found) as Found), // written above
  };
}

function toDefinition(digest: string | null, content: string | null, text: string | null): Definition | undefined {
  return digest === null || text === null ? undefined : { digest, content: content ?? '', text };
}
