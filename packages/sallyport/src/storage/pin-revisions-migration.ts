import type { Kysely, Migration } from 'kysely';

/** What others decided is looked for several times a second: without it SQLite reads every pin of the configuration each time. */
export const pinRevisionsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createIndex('pin_configuration_revision')
      .on('pin')
      .columns(['configuration', 'revision'])
      .execute();
  },
};
