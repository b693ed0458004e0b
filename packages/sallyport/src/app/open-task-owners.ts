import { TaskOwners } from '../call/task-owners.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Database } from '../storage/database.ts';
import { createTaskOwnerStore, type TaskOwnerStore } from '../storage/task-owners.ts';

/** Who started which task, over the database of the state directory. */
export function openTaskOwners({
  database,
  clock,
  log,
}: {
  readonly database: () => Promise<Database>;
  readonly clock: Clock;
  readonly log: Log;
}): TaskOwners {
  let store: TaskOwnerStore | undefined;
  return new TaskOwners({
    async store() {
      store ??= createTaskOwnerStore(await database(), clock);
      return store;
    },
    log,
  });
}
