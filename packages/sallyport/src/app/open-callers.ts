import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { createCallers } from '../gateway/auth/callers.ts';
import type { Database } from '../storage/database.ts';
import { openKeyDirectory } from '../storage/keys.ts';
import { loadLaptopKey } from './laptop-key.ts';

/** Who may come in. Without keys neither the laptop's key is made nor the others are looked for. */
export async function openCallers(
  { stateDir, gateway: { auth } }: Snapshot,
  { database, log, clock }: { database: () => Promise<Database>; log: Log; clock: Clock },
) {
  if (auth === 'none' || (auth !== 'key' && !auth.keys)) {
    const callers = createCallers(auth, { laptopKey: undefined, keys: undefined, clock, log });
    return { callers, key: undefined, isKey: () => false, close: () => undefined };
  }
  const key = await loadLaptopKey(stateDir);
  const keys = await openKeyDirectory(await database(), log);
  const callers = createCallers(auth, { laptopKey: key, keys, clock, log });
  const isKey = (digest: string) => keys.find(digest) !== undefined;
  return { callers, key, isKey, close: keys.close };
}
