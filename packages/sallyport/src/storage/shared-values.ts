import type { Selectable, Transaction } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Bounds, SharedKind, SharedValue, SharedValues, Shelf } from '../core/shared-state.ts';
import type { Database } from './database.ts';
import type { SharedValueTable, Tables } from './tables.ts';

/** Variables of one statement are bounded; a result with more secrets is written in parts of one transaction. */
const BATCH = 100;
/** Rows that make room in one statement. */
const MANY = 500;
/** Within one millisecond rows keep their order. */
const PER_MS = 1_000;

/** Sealed values of several processes, one table for all kinds. @param open the one handle of this process */
export function createSharedValues(open: () => Promise<Database>, clock: Clock): SharedValues {
  let lastAt = 0;
  const nextAt = (): number => {
    lastAt = Math.max(lastAt + 1, clock.now() * PER_MS);
    return lastAt;
  };
  const write = async (transaction: Transaction<Tables>, shelf: Shelf, values: readonly SharedValue[]) => {
    for (let at = 0; at < values.length; at += BATCH)
      await transaction
        .insertInto('shared_value')
        .values(
          values.slice(at, at + BATCH).map(({ id, origin, sealed, size, expiresAt }) => ({
            ...{ kind: shelf.kind, owner: shelf.owner, id, origin, sealed, size },
            ...{ kept_at: nextAt(), expires_at: expiresAt },
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['kind', 'owner', 'id']).doUpdateSet((to) => ({
            origin: to.ref('excluded.origin'),
            sealed: to.ref('excluded.sealed'),
            size: to.ref('excluded.size'),
            kept_at: to.ref('excluded.kept_at'),
            expires_at: to.ref('excluded.expires_at'),
          })),
        )
        .execute();
  };
  return {
    async get({ kind, owner }, ids) {
      const database = await open();
      const found: SharedValue[] = [];
      for (let at = 0; at < ids.length; at += BATCH) {
        const rows = await database
          .selectFrom('shared_value')
          .selectAll()
          .where('kind', '=', kind)
          .where('owner', '=', owner)
          .where('id', 'in', ids.slice(at, at + BATCH))
          .where('expires_at', '>', clock.now())
          .execute();
        for (const row of rows) found.push(toValue(row));
      }
      return found;
    },
    async put(shelf, values, bounds) {
      const database = await open();
      await database.transaction().execute(async (transaction) => {
        await write(transaction, shelf, values);
        await makeRoom(transaction, { shelf, bounds, now: clock.now() });
      });
    },
    async admit(shelf, value, { before, all }) {
      const database = await open();
      return database.transaction().execute(async (transaction) => {
        await forget(transaction, shelf.kind, clock.now());
        const present = await transaction
          .selectFrom('shared_value')
          .select(['origin', 'size'])
          .where('kind', '=', shelf.kind)
          .where('owner', '=', shelf.owner)
          .where('id', '=', value.id)
          .executeTakeFirst();
        if (present?.origin !== before) return 'behind';
        const { count, sum } = await totalOf(transaction, shelf.kind);
        const rows = Number(count) + (present === undefined ? 1 : 0);
        const size = Number(sum ?? 0) - Number(present?.size ?? 0) + value.size;
        if (rows > all.rows || size > all.size) return 'full';
        await write(transaction, shelf, [value]);
        return 'done';
      });
    },
    async list(kind, most) {
      const rows = await (await open())
        .selectFrom('shared_value')
        .selectAll()
        .where('kind', '=', kind)
        .where('expires_at', '>', clock.now())
        .orderBy('kept_at')
        .limit(most)
        .execute();
      return rows.map((row) => ({ ...toValue(row), owner: row.owner }));
    },
    async touch({ kind, owner }, id, expiresAt) {
      await (await open())
        .updateTable('shared_value')
        .set({ expires_at: expiresAt })
        .where('kind', '=', kind)
        .where('owner', '=', owner)
        .where('id', '=', id)
        .execute();
    },
    async trim(kind, all) {
      const database = await open();
      await forget(database, kind, clock.now());
      await dropOldest(database, kind, all);
    },
  };
}

/** The owner's oldest go until the rest is within the bounds; the newest stays whatever its size is. */
async function makeRoom(
  transaction: Transaction<Tables>,
  { shelf, bounds, now }: { readonly shelf: Shelf; readonly bounds: Bounds; readonly now: number },
): Promise<void> {
  const { total, sum, end } = await transaction
    .selectFrom('shared_value')
    .select((select) => [
      select.fn.countAll<number>().as('total'),
      select.fn.sum<number | null>('size').as('sum'),
      select.fn.min<number | null>('expires_at').as('end'),
    ])
    .where('kind', '=', shelf.kind)
    .where('owner', '=', shelf.owner)
    .executeTakeFirstOrThrow();
  if (Number(total) <= bounds.rows && Number(sum) <= bounds.size && Number(end) > now) return;
  const rows = await transaction
    .selectFrom('shared_value')
    .select(['id', 'size', 'expires_at'])
    .where('kind', '=', shelf.kind)
    .where('owner', '=', shelf.owner)
    .orderBy('kept_at')
    .execute();
  let count = rows.length;
  let size = rows.reduce((sum, row) => sum + Number(row.size), 0);
  const gone: string[] = [];
  for (const row of rows.slice(0, -1)) {
    const isOver = Number(row.expires_at) <= now;
    if (!isOver && count <= bounds.rows && size <= bounds.size) break;
    gone.push(row.id);
    count--;
    size -= Number(row.size);
  }
  for (let at = 0; at < gone.length; at += BATCH)
    await transaction
      .deleteFrom('shared_value')
      .where('kind', '=', shelf.kind)
      .where('owner', '=', shelf.owner)
      .where('id', 'in', gone.slice(at, at + BATCH))
      .execute();
}

function forget(database: Pick<Database, 'deleteFrom'>, kind: SharedKind, now: number) {
  return database.deleteFrom('shared_value').where('kind', '=', kind).where('expires_at', '<=', now).execute();
}

async function dropOldest(database: Database, kind: SharedKind, all: Bounds): Promise<void> {
  const { count, sum } = await totalOf(database, kind);
  let [rows, size] = [Number(count), Number(sum ?? 0)];
  while (rows > all.rows || size > all.size) {
    const oldest = await database
      .selectFrom('shared_value')
      .select(['kept_at', 'size'])
      .where('kind', '=', kind)
      .orderBy('kept_at')
      .limit(MANY)
      .execute();
    let until: number | undefined;
    for (const row of oldest) {
      if (rows <= all.rows && size <= all.size) break;
      rows--;
      size -= Number(row.size);
      until = row.kept_at;
    }
    if (until === undefined) return;
    await database.deleteFrom('shared_value').where('kind', '=', kind).where('kept_at', '<=', until).execute();
  }
}

function totalOf(database: Pick<Database, 'selectFrom'>, kind: SharedKind) {
  return database
    .selectFrom('shared_value')
    .select((select) => [select.fn.countAll<number>().as('count'), select.fn.sum<number | null>('size').as('sum')])
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
}

function toValue({ id, origin, sealed, size, expires_at }: Selectable<SharedValueTable>): SharedValue {
  return { id, origin, sealed, size: Number(size), expiresAt: Number(expires_at) };
}
