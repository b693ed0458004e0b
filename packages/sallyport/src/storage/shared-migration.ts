import type { Kysely, Migration } from 'kysely';

export const sharedMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('shared_value')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('kept_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('shared_value_key', ['kind', 'owner', 'id'])
      .execute();
    await database.schema
      .createIndex('shared_value_by_age')
      .on('shared_value')
      .columns(['kind', 'kept_at', 'size'])
      .execute();
    await database.schema.createIndex('shared_value_by_end').on('shared_value').column('expires_at').execute();
    await database.schema
      .createTable('shared_run')
      .addColumn('run', 'text', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await database.schema.createIndex('shared_run_by_end').on('shared_run').columns(['expires_at', 'size']).execute();
    await database.schema
      .createTable('shared_run_row')
      .addColumn('run', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('body', 'text')
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('shared_run_row_key', ['run', 'seq'])
      .execute();
  },
};
