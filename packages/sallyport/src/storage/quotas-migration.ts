import type { Migration } from 'kysely';

/** One row per rule, subject and calendar window. */
export const quotasMigration: Migration = {
  async up(db) {
    await db.schema
      .createTable('quotas')
      .addColumn('rule', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('used', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('quotas_key', ['rule', 'subject', 'period'])
      .execute();
  },
};
