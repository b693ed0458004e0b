import type { Migration } from 'kysely';

export const taskOwnersMigration: Migration = {
  async up(database) {
    await database.schema
      .createTable('task_owner')
      .addColumn('task', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('noted_at', 'integer', (column) => column.notNull())
      .execute();
    await database.schema.createIndex('task_owner_by_age').on('task_owner').column('noted_at').execute();
  },
};
