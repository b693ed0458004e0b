import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import type { SharedValue, SharedValues } from '../core/shared-state.ts';
import { type FixedPlan, mayReplace, readPlan } from '../guard/plan/plan.ts';
import type { PlanStore } from '../guard/plan/plan-guard.ts';
import { askStore, toDamaged } from './ask-store.ts';
import { createPlanMemory } from './plan-memory.ts';
import type { RowKeys } from './row-keys.ts';

export interface SharedPlansOptions {
  readonly values: SharedValues;
  readonly keys: RowKeys;
  readonly clock: Clock;
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly plans: number };
}

const MINUTE = 60_000;
/** One row for each run. */
const ID = 'plan';
const READ = 'Reading the plan of this run';
const WRITE = 'Keeping the plan of this run';
const LIST = 'Reading the plans of all runs';
/** A plan is kept this much longer than promised, so that not every use of it writes. */
const SLACK = 1.25;
/** Characters of all plans together, sealed. */
const MAX_SIZE = 128_000_000;
const MAX_TRIES = 5;

interface Met {
  readonly plan: FixedPlan;
  /** Tells one fixed plan from another. */
  readonly stamp: string;
}

/** Plans that several processes share: sealed in the database, bound to their run. */
export function createSharedPlans({ values, keys, clock, now, limits }: SharedPlansOptions): PlanStore {
  /** Plans this process has met: a run whose row somebody removed does not become free. */
  const met = createPlanMemory({ now, limits });
  const stamps = new WeakMap<FixedPlan, string>();
  const shelfOf = (run: string) => ({ kind: 'plan' as const, owner: keys.digest('plan', run) });
  const lastingUntil = () => clock.now() + limits().minutes * MINUTE * SLACK;

  async function admit(run: string, plan: FixedPlan, before: string | undefined) {
    const shelf = shelfOf(run);
    const { steps: _, ...facts } = plan;
    const text = JSON.stringify({ run, plan: facts });
    const origin = keys.digest('fixed plan', text);
    const sealed = keys.seal(['plan', shelf.owner, origin], text);
    const value = { id: ID, origin, sealed, size: sealed.length, expiresAt: lastingUntil() };
    return values.admit(shelf, value, { before, all: { rows: limits().plans, size: MAX_SIZE } });
  }

  async function read(run: string): Promise<Met | undefined> {
    const shelf = shelfOf(run);
    const [row] = await values.get(shelf, [ID]);
    if (row === undefined) return undefined;
    if (row.expiresAt - clock.now() < limits().minutes * MINUTE) await values.touch(shelf, ID, lastingUntil());
    const known = await met.find(run);
    if (known !== undefined && stamps.get(known) === row.origin) return { plan: known, stamp: row.origin };
    const { plan } = open(keys, shelf.owner, row);
    stamps.set(plan, row.origin);
    return { plan, stamp: row.origin };
  }

  async function find(run: string): Promise<FixedPlan | undefined> {
    const known = await met.find(run);
    const found = await read(run);
    if (found !== undefined) {
      await met.fix(run, found.plan);
      return found.plan;
    }
    if (known !== undefined) await admit(run, known, undefined);
    return known;
  }

  async function fix(run: string, plan: FixedPlan): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await read(run);
      if (!mayReplace(before?.plan, plan)) return false;
      const done = await admit(run, plan, before?.stamp);
      if (done === 'full') return false;
      // Another process was faster: what it fixed counts.
      if (done === 'behind') continue;
      await met.fix(run, plan);
      return true;
    }
    throw new Error('other processes fix plans for this run all the time');
  }

  return {
    find: (run) => askStore({ step: READ }, find(run)),
    fix: (run, plan) => askStore({ step: WRITE }, fix(run, plan)),
    async list() {
      const rows = await askStore({ step: LIST }, values.list('plan', limits().plans));
      return rows.map((row) => open(keys, row.owner, row));
    },
  };
}

function open(
  keys: RowKeys,
  owner: string,
  { origin, sealed }: Pick<SharedValue, 'origin' | 'sealed'>,
): { readonly run: string; readonly plan: FixedPlan } {
  try {
    const opened: unknown = JSON.parse(keys.open(['plan', owner, origin], sealed).toString());
    const { run, plan } = isObject(opened) ? opened : {};
    const read = isObject(plan) ? readPlan(plan['written']) : undefined;
    if (typeof run === 'string' && typeof read === 'object') {
      // Sealed by this program, under this key: it is what `admit` wrote.
      const facts = plan as unknown as Omit<FixedPlan, 'steps'>;
      if (facts.digest === read.digest) return { run, plan: { ...facts, ...read } };
    }
  } catch (error) {
    throw toDamaged(READ, error);
  }
  throw toDamaged(READ, undefined);
}
