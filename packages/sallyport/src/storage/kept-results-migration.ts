import type { Kysely, Migration } from 'kysely';

export const keptResultsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('kept_result')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'integer', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('upstream', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('arguments_digest', 'text', (column) => column.notNull())
      .addColumn('findings', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('result', 'text')
      .addColumn('decided_by', 'text')
      .addColumn('decided_at', 'integer')
      .addColumn('reason', 'text')
      .execute();
    await database.schema
      .createIndex('kept_result_by_call')
      .on('kept_result')
      .columns(['principal', 'upstream', 'tool', 'state'])
      .execute();
    await database.schema.createIndex('kept_result_by_end').on('kept_result').column('expires_at').execute();
  },
};
