import type { Kysely, Migration } from 'kysely';

export const approvalsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('approval')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('updated_at', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'integer', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('upstream', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('arguments_digest', 'text', (column) => column.notNull())
      .addColumn('record', 'text', (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('approval_by_call')
      .on('approval')
      .columns(['principal', 'upstream', 'tool', 'arguments_digest'])
      .execute();
    await database.schema.createIndex('approval_by_state').on('approval').columns(['state', 'created_at']).execute();
    await database.schema
      .createIndex('approval_by_tool')
      .on('approval')
      .columns(['upstream', 'tool', 'state'])
      .execute();
    await database.schema.createIndex('approval_by_change').on('approval').column('updated_at').execute();
    await database.schema
      .createTable('approval_grant')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('approval_id', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('upstream', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'integer', (column) => column.notNull())
      .addColumn('used_at', 'integer')
      .addColumn('used_by', 'text')
      .addColumn('revoked_at', 'integer')
      .addColumn('record', 'text', (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('approval_grant_by_tool')
      .on('approval_grant')
      .columns(['principal', 'upstream', 'tool'])
      .execute();
  },
};
