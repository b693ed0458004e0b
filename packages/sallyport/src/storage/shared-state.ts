import { statSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { SharedState } from '../core/shared-state.ts';
import type { Database } from './database.ts';
import { createSharedRuns, forgetRuns } from './shared-runs.ts';
import { createSharedValues } from './shared-values.ts';

export interface SharedStateOptions {
  readonly database: () => Promise<Database>;
  /** Left out: a database without a file of its own. */
  readonly file?: string | undefined;
  readonly clock: Clock;
}

/** What several processes share through the database. */
export function createSharedState({ database, file, clock }: SharedStateOptions): SharedState {
  let opened: string | undefined;
  const open = async (): Promise<Database> => {
    const handle = await database();
    // A file that was removed goes on taking writes of those who have it open, and nobody else reads them.
    const now = file === undefined ? '' : identityOf(file);
    opened ??= now;
    if (now !== opened || now === 'gone')
      throw new FaultError(
        'overloaded',
        'The file sallyport.db was removed or replaced while Sallyport had it open. Bring it back, or restart every Sallyport on this state directory.',
      );
    return handle;
  };
  return {
    values: createSharedValues(open, clock),
    runs: createSharedRuns(open, clock),
    async expire() {
      const database = await open();
      const now = clock.now();
      await database.deleteFrom('shared_value').where('expires_at', '<=', now).execute();
      let gone: number;
      do gone = await database.transaction().execute((transaction) => forgetRuns(transaction, now));
      while (gone > 0);
    },
  };
}

/** A microsecond or two, so that it can be asked before every statement. */
function identityOf(file: string): string {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts === undefined ? 'gone' : `${facts.dev} ${facts.ino}`;
}
