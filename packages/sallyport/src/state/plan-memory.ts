import type { Plan } from '../guard/plan/plan.ts';
import type { PlanStore } from '../guard/plan/plan-guard.ts';

export interface PlanMemoryOptions {
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly plans: number };
}

const MINUTE = 60_000;

/** Plans of this process. One that is used stays; when there is no room, a new one is refused. */
export function createPlanMemory({ now, limits }: PlanMemoryOptions): PlanStore {
  /** In the order of their last use. */
  const byRun = new Map<string, { readonly plan: Plan; usedAt: number }>();
  const forget = (): void => {
    const before = now() - limits().minutes * MINUTE;
    for (const [run, { usedAt }] of byRun) {
      if (usedAt > before) return;
      byRun.delete(run);
    }
  };
  return {
    find(run) {
      if (byRun.size === 0) return undefined;
      forget();
      const found = byRun.get(run);
      if (found === undefined) return undefined;
      byRun.delete(run);
      byRun.set(run, { plan: found.plan, usedAt: now() });
      return found.plan;
    },
    fix(run, plan) {
      forget();
      if (!byRun.has(run) && byRun.size >= limits().plans) return false;
      byRun.delete(run);
      byRun.set(run, { plan, usedAt: now() });
      return true;
    },
  };
}
