import type { LimitsSettings } from '../config/limits-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { rateLimit } from '../guard/rate-limit.ts';
import { createMemoryRates } from '../state/memory-rates.ts';
import type { Database } from '../storage/database.ts';
import { createLateQuotas, openQuotas } from '../storage/quotas.ts';

const NO_LIMITS: LimitsSettings = Object.freeze({ rules: [], quotas: [] });

/** The guard that counts, and the counts that outlive a restart. */
export function openLimits(
  snapshot: () => Snapshot,
  { database, clock, log }: { database: () => Promise<Database>; clock: Clock; log: Log },
) {
  const quotas = createLateQuotas(async () => openQuotas({ database: await database(), clock, log }));
  const rates = createMemoryRates({ now: () => performance.now() });
  return { quotas, limits: rateLimit({ limits: () => snapshot().limits ?? NO_LIMITS, rates, quotas }) };
}
