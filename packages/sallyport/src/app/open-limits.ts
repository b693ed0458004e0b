import { join } from 'node:path';
import type { LimitsSettings } from '../config/limits-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { rateLimit } from '../guard/rate-limit.ts';
import { createMemoryRates } from '../state/memory-rates.ts';
import { openDatabase } from '../storage/database.ts';
import { createLateQuotas, openQuotas } from '../storage/quotas.ts';

const NO_LIMITS: LimitsSettings = Object.freeze({ rules: [], quotas: [] });

/** The guard that counts, and the counts that outlive a restart. */
export function openLimits(snapshot: () => Snapshot, { clock, log }: { clock: Clock; log: Log }) {
  const quotas = createLateQuotas(async () => {
    const database = await openDatabase(join(snapshot().stateDir, 'sallyport.db'));
    const opened = await openQuotas({ database, clock, log });
    return { ...opened, close: () => opened.close().finally(() => database.destroy()) };
  });
  const rates = createMemoryRates({ now: () => performance.now() });
  return { quotas, limits: rateLimit({ limits: () => snapshot().limits ?? NO_LIMITS, rates, quotas }) };
}
