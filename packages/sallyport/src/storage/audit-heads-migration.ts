import type { Migration } from 'kysely';

export const auditHeadsMigration: Migration = {
  async up(database) {
    await database.schema
      .createTable('audit_head')
      .addColumn('directory', 'text', (column) => column.notNull())
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('damage', 'text')
      .addColumn('accepted', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_head_place', ['directory', 'chain'])
      .execute();
  },
};
