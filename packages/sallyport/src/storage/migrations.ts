import type { Migration } from 'kysely';
import { keysMigration } from './keys-migration.ts';

/** In the order of their names; a migration that has shipped is never changed. Each aggregate's migration stands in its own file. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-keys': keysMigration,
};
