import { join } from 'node:path';
import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { SharedState } from '../core/shared-state.ts';
import { createRowKeys, type RowKeys } from '../state/row-keys.ts';
import type { Database } from '../storage/database.ts';
import { createSharedState } from '../storage/shared-state.ts';
import { loadSealKey } from './open-kept-results.ts';

/** What the memories of this process share with those of others. */
export interface Shared {
  readonly state: SharedState;
  readonly keys: RowKeys;
}

export interface OpenedShared {
  /** `undefined`: each process has its own memories. */
  readonly shared: Shared | undefined;
  /** 32 bytes in hex that every process on this state directory has. */
  readonly sealKey: string;
  /** Nothing is deleted any more. Idempotent. */
  stop(): void;
}

/** What is over is deleted this often, whether anything is written or not. Milliseconds. */
const EXPIRE_MS = 300_000;

/** The key of the state directory, and the short-lived state that is kept under it where the operator says so. */
export async function openShared(
  { stateDir, state }: Snapshot,
  { database, clock, log }: { readonly database: () => Promise<Database>; readonly clock: Clock; readonly log: Log },
): Promise<OpenedShared> {
  const sealKey = await loadSealKey(stateDir);
  if (state?.shared !== true) return { shared: undefined, sealKey, stop() {} };
  const file = join(stateDir, 'sallyport.db');
  const keys = createRowKeys(Buffer.from(sealKey, 'hex'));
  const shared = { state: createSharedState({ database, file, clock }), keys };
  const expire = (): void => {
    shared.state
      .expire()
      .catch((error: unknown) => log.warn({ error }, 'what is over could not be deleted from sallyport.db'));
  };
  const timer = setInterval(expire, EXPIRE_MS).unref();
  expire();
  return { shared, sealKey, stop: () => clearInterval(timer) };
}
