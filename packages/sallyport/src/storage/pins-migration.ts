import type { Kysely, Migration } from 'kysely';

/** What servers offered, and what was approved of it. */
export const pinsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('pin')
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('approved_digest', 'text')
      .addColumn('approved_content', 'text')
      .addColumn('approved_text', 'text')
      .addColumn('approved_by', 'text')
      .addColumn('approved_at', 'text')
      .addColumn('seen_digest', 'text')
      .addColumn('seen_content', 'text')
      .addColumn('seen_text', 'text')
      .addColumn('seen_at', 'text')
      .addColumn('rejected', 'text')
      .addColumn('renamed_from', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('pin_key', ['server', 'kind', 'name'])
      .execute();
    await database.schema.createIndex('pin_revision').on('pin').column('revision').execute();
  },
};
