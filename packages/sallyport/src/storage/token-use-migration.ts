import type { Migration } from 'kysely';

export const tokenUseMigration: Migration = {
  async up(database) {
    await database.schema
      .createTable('token_use')
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('upstream', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('request_bytes', 'bigint', (column) => column.notNull())
      .addColumn('result_bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('token_use_of', ['day', 'upstream', 'target'])
      .execute();
  },
};
