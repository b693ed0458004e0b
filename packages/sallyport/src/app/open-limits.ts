import type { LimitsSettings } from '../config/limits-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import { rateLimit } from '../guard/rate-limit.ts';
import { createMemoryRates } from '../state/memory-rates.ts';
import type { Database } from '../storage/database.ts';
import { createQuotas } from '../storage/quotas.ts';

const NO_LIMITS: LimitsSettings = Object.freeze({ rules: [], quotas: [] });

/** The guard that counts: rates in this process, quotas in the database of the state directory. */
export function openLimits(
  snapshot: () => Snapshot,
  { database, clock }: { database: () => Promise<Database>; clock: Clock },
) {
  const quotas = createQuotas({ database, clock });
  const rates = createMemoryRates({ now: () => performance.now() });
  return rateLimit({ limits: ({ limits } = snapshot()) => limits ?? NO_LIMITS, rates, quotas });
}
