import type { Kysely, Migration } from 'kysely';

export const auditIndexMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('audit_segment')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('directory', 'text', (column) => column.notNull())
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('records', 'integer', (column) => column.notNull())
      .addUniqueConstraint('audit_segment_name', ['directory', 'chain', 'name'])
      .execute();
    await database.schema
      .createTable('audit_record')
      .addColumn('segment', 'integer', (column) => column.notNull())
      .addColumn('offset', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('time', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text')
      .addColumn('principal', 'text')
      .addColumn('person', 'text')
      .addColumn('agent', 'text')
      .addColumn('account', 'text')
      .addColumn('upstream', 'text')
      .addColumn('tool', 'text')
      .addColumn('outcome', 'text')
      .addColumn('guard', 'text')
      .addColumn('words', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_record_place', ['segment', 'offset'])
      .execute();
    await database.schema
      .createIndex('audit_record_by_time')
      .on('audit_record')
      .columns(['time', 'segment', 'offset'])
      .execute();
    await database.schema.createIndex('audit_record_by_call').on('audit_record').column('call_id').execute();
  },
};
