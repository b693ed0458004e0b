import type { Kysely, Migration } from 'kysely';

/** What reading the definitions found, as JSON. */
export const pinFindingsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema.alterTable('pin').addColumn('found', 'text').execute();
  },
};
