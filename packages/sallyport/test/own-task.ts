import { join } from 'node:path';
import { KEY_HOLDER } from '../src/core/principal.ts';
import { openDatabase } from '../src/storage/database.ts';
import { createTaskOwnerStore } from '../src/storage/task-owners.ts';
import type { RunningGateway } from './running-sallyport.ts';

/** As if the holder of the gateway's key had started these tasks, e.g. before a restart. */
export async function ownTasks(
  { process: { stateDir } }: RunningGateway,
  tasks: readonly (readonly [upstream: string, taskId: string])[],
): Promise<void> {
  const database = await openDatabase(join(stateDir, 'sallyport.db'));
  const store = createTaskOwnerStore(database, { now: () => Date.now() });
  for (const [upstream, taskId] of tasks) await store.put(`${upstream}\n${taskId}`, `${KEY_HOLDER.id}\n`);
  await database.destroy();
}
