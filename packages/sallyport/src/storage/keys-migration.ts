import type { Kysely, Migration } from 'kysely';

/** API keys: digests, and who they stand for. */
export const keysMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('api_key')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .addColumn('last_used_at', 'bigint')
      .addColumn('version', 'bigint', (column) => column.notNull())
      .execute();
    await database.schema.createIndex('api_key_version').on('api_key').column('version').execute();
  },
};
