import { createTokenMeter, type TokenMeter } from '../call/token-meter.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Database } from '../storage/database.ts';
import { createTokenUse } from '../storage/token-use.ts';

/** What calls move into contexts, counted in the database of the state directory. */
export function openTokenMeter({
  database,
  clock,
  log,
}: {
  readonly database: () => Promise<Database>;
  readonly clock: Clock;
  readonly log: Log;
}): TokenMeter {
  return createTokenMeter({ store: async () => createTokenUse(await database(), clock), clock, log });
}
