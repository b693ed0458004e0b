import { type Kysely, type Migration, sql } from 'kysely';

/** Pins belong to a configuration. Those of before belong to none yet, until one that has their server runs. */
export const pinConfigurationsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema.dropIndex('pin_revision').execute();
    await database.schema.alterTable('pin').renameTo('pin_before').execute();
    await database.schema
      .createTable('pin')
      .addColumn('configuration', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('approved_digest', 'text')
      .addColumn('approved_content', 'text')
      .addColumn('approved_text', 'text')
      .addColumn('approved_by', 'text')
      .addColumn('approved_at', 'text')
      .addColumn('seen_digest', 'text')
      .addColumn('seen_content', 'text')
      .addColumn('seen_text', 'text')
      .addColumn('seen_at', 'text')
      .addColumn('rejected', 'text')
      .addColumn('renamed_from', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('found', 'text')
      .addPrimaryKeyConstraint('pin_key', ['configuration', 'server', 'kind', 'name'])
      .execute();
    await sql`insert into pin select '', * from pin_before`.execute(database);
    await database.schema.dropTable('pin_before').execute();
    await database.schema.createIndex('pin_revision').on('pin').column('revision').execute();
  },
};
