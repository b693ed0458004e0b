import type { Kysely, Migration } from 'kysely';

/** What Sallyport proves itself with at upstreams, sealed. */
export const upstreamTokensMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('upstream_tokens')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('upstream', 'text', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('claimed_until', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('upstream_tokens_key', ['kind', 'upstream', 'place', 'owner'])
      .execute();
  },
};
