import { type FixedPlan, mayReplace } from '../guard/plan/plan.ts';
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
  const byRun = new Map<string, { readonly plan: FixedPlan; usedAt: number }>();
  let total = 0;
  const forget = (): void => {
    const before = now() - limits().minutes * MINUTE;
    for (const [run, { plan, usedAt }] of byRun) {
      if (usedAt > before) return;
      total -= sizeOf(plan);
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
      const before = byRun.get(run);
      if (!mayReplace(before?.plan, plan)) return false;
      const size = total - sizeOf(before?.plan) + sizeOf(plan);
      if ((before === undefined && byRun.size >= limits().plans) || size > MAX_SIZE) return false;
      total = size;
      byRun.delete(run);
      byRun.set(run, { plan, usedAt: now() });
      return true;
    },
    list() {
      forget();
      return [...byRun].map(([run, { plan }]) => ({ run, plan }));
    },
  };
}

/** Of all plans together, about bytes: ten thousand of the largest would take gigabytes. */
const MAX_SIZE = 256_000_000;

/** Text takes two bytes a character, and what is made of it to compare a few times as much. */
function sizeOf(plan: FixedPlan | undefined): number {
  return plan === undefined ? 0 : 1_000 + 8 * JSON.stringify(plan.written).length;
}
