import type { Kysely, Migration } from 'kysely';

export const artifactsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('artifact')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('about', 'text', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('sealed', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'integer', (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('artifact_by_owner')
      .on('artifact')
      .columns(['principal', 'created_at'])
      .execute();
    await database.schema.createIndex('artifact_by_end').on('artifact').column('expires_at').execute();
    await database.schema
      .createTable('artifact_block')
      .addColumn('artifact', 'text', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('written_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('artifact_block_key', ['artifact', 'seq'])
      .execute();
  },
};
