import type { AuditHeads } from '../src/core/audit-heads.ts';
import { createAuditHeads } from '../src/storage/audit-heads.ts';
import { openDatabase } from '../src/storage/database.ts';
import { atTheEnd } from './at-the-end.ts';

/** What the database of a state directory knows of the audit below a folder, for tests of folders that get it as an argument. */
export async function openHeads(directory: string): Promise<AuditHeads> {
  const database = await openDatabase(':memory:');
  atTheEnd(() => database.destroy());
  return createAuditHeads(() => Promise.resolve(database), { stateDir: directory, directory });
}
