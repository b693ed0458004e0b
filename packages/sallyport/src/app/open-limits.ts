import type { LimitsSettings } from '../config/limits-section.ts';
import type { Clock } from '../core/clock.ts';
import type { RateLimitPorts } from '../guard/rate-limit.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { createMemoryRates } from '../state/memory-rates.ts';
import type { Database } from '../storage/database.ts';
import { createQuotas, type OpenQuotas } from '../storage/quotas.ts';

const NO_LIMITS: LimitsSettings = Object.freeze({ rules: [], quotas: [] });

/** What counts calls: rates in this process, quotas in the database of the state directory. */
export function openLimits({
  database,
  clock,
}: {
  database: () => Promise<Database>;
  clock: Clock;
}): RateLimitPorts & { readonly quotas: OpenQuotas } {
  return {
    limits: (frozen) => snapshotOf(frozen).limits ?? NO_LIMITS,
    rates: createMemoryRates({ now: () => performance.now() }),
    quotas: createQuotas({ database, clock }),
  };
}
