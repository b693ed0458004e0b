import { join } from 'node:path';
import { FaultError } from '../src/core/errors.ts';
import { silentLog } from '../src/core/log.ts';
import type { SharedState } from '../src/core/shared-state.ts';
import { createRowKeys, type RowKeys } from '../src/state/row-keys.ts';
import { createSharedHandles } from '../src/state/shared-handles.ts';
import { createSharedPlans } from '../src/state/shared-plans.ts';
import { createSharedTaintMemory } from '../src/state/shared-taint-memory.ts';
import { createSharedVault } from '../src/state/shared-vault.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { createSharedState } from '../src/storage/shared-state.ts';
import { atTheEnd } from './at-the-end.ts';
import { newTestFolder } from './running-sallyport.ts';

export const LIMITS = {
  ...{ printsPerRun: 1_000, prints: 10_000, runs: 10, idleMs: 60_000 },
  ...{ minutes: 60, entries: 100, plans: 10, texts: 10, megabytes: 1 },
};

/** What several processes would have: one database, one key, one clock, and limits a test may change. */
export class SharedMemories {
  readonly database: Database;
  readonly file: string;
  state: SharedState;
  now = 1_000_000;
  limits = { ...LIMITS };
  readonly errors: string[] = [];

  static async open(): Promise<SharedMemories> {
    const file = join(newTestFolder(), 'sallyport.db');
    const database = await openDatabase(file);
    atTheEnd(() => database.destroy());
    return new SharedMemories(database, file);
  }

  private constructor(database: Database, file: string) {
    this.database = database;
    this.file = file;
    this.state = createSharedState({ database: async () => database, file, clock: { now: () => this.now } });
  }

  /** The memories of one more process. */
  replica(keys: RowKeys = createRowKeys(Buffer.alloc(32, 7))) {
    const { values, runs } = this.state;
    const basics = { keys, clock: { now: () => this.now }, now: () => this.now, limits: () => this.limits };
    const log = { ...silentLog, error: (_: object, text: string) => void this.errors.push(text) };
    return {
      taint: createSharedTaintMemory({ ...basics, runs, log }),
      vault: createSharedVault({ ...basics, values }),
      plans: createSharedPlans({ ...basics, values }),
      handles: createSharedHandles({ ...basics, values }),
    };
  }
}

/** The message of a fault, which names step, cause and fix. */
export async function faultOf(work: unknown): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof FaultError && error.code === 'overloaded') return error.message;
    throw error;
  }
  throw new Error('nothing failed');
}
