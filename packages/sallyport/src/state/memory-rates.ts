import type { RateAsk, RateCounters, Standing, Taken } from '../guard/limit-ports.ts';

export interface MemoryRatesOptions {
  /** Milliseconds of a clock that does not jump (`performance.now`). One that does gives no call away. */
  readonly now: () => number;
  /** Buckets kept per rule. 10,000 take about 1 MB. */
  readonly maxBuckets?: number | undefined;
}

/** Rules a configuration may have; older ones go when reloads bring more. */
const MAX_RULES = 256;
/** A full table is looked through this often at most: what it costs stays below a thousandth. Milliseconds. */
const SWEEP_MS = 1_000;
/** Thirds have no end in binary: without it the third of three calls would be refused. Milliseconds. */
const TOLERANCE_MS = 1e-6;

/** The buckets of one rule. A bucket is one number: when it will be full, the "theoretical arrival time" of GCRA. */
interface Buckets {
  readonly fullAt: Map<string, number>;
  /** Shared by all who found no room. Whoever gets a bucket later starts with it, so that nobody has two. */
  overflow: number;
  sweptAt: number;
}

/**
 * Token buckets in memory by GCRA (ITU-T I.371): no more than `burst + t / interval` calls in any time `t`. The table is
 * bounded: only full buckets are dropped, since they are worth as much as none, and whoever finds no room shares one
 * bucket with the others who did not. Varying names or identities gains an attacker nothing.
 */
export function createMemoryRates({ now, maxBuckets = 10_000 }: MemoryRatesOptions): RateCounters {
  const rules = new Map<string, Buckets>();
  let latest = 0;

  function bucketsOf(rule: string): Buckets {
    let buckets = rules.get(rule);
    if (buckets === undefined) {
      for (const oldest of rules.keys()) if (rules.size >= MAX_RULES) rules.delete(oldest);
      buckets = { fullAt: new Map(), overflow: 0, sweptAt: Number.NEGATIVE_INFINITY };
      rules.set(rule, buckets);
    }
    return buckets;
  }

  function store(buckets: Buckets, key: string, fullAt: number): void {
    if (buckets.fullAt.has(key) || hasRoom(buckets, { at: latest, maxBuckets })) buckets.fullAt.set(key, fullAt);
    else buckets.overflow = fullAt;
  }

  return {
    take(asks): Taken {
      // A clock set back must not hand out the same time twice.
      latest = Math.max(latest, now());
      const standings: Standing[] = [];
      let refusedBy: number | undefined;
      const next: number[] = [];
      for (const ask of asks) {
        const buckets = bucketsOf(ask.rule);
        const before = Math.max(latest, buckets.fullAt.get(ask.key) ?? buckets.overflow);
        const wait = before + ask.intervalMs - ask.burst * ask.intervalMs - latest;
        const refused = !(wait <= TOLERANCE_MS);
        if (refused) refusedBy ??= standings.length;
        next.push(before + ask.intervalMs);
        standings.push(refused ? { left: 0, resetMs: wait } : toStanding(ask, before + ask.intervalMs - latest));
      }
      if (refusedBy !== undefined) return { standings, refusedBy };
      for (let i = 0; i < asks.length; i++) {
        const ask = asks[i] as RateAsk; // True by the bound of the loop, as is the next.
        store(bucketsOf(ask.rule), ask.key, next[i] as number);
      }
      return { standings, refusedBy };
    },
  };
}

/** @param debt milliseconds until the bucket is full */
function toStanding({ intervalMs, burst }: RateAsk, debt: number): Standing {
  const left = Math.max(0, Math.floor((burst * intervalMs - debt + TOLERANCE_MS) / intervalMs));
  return { left, resetMs: left === 0 ? debt - (burst - 1) * intervalMs : debt };
}

function hasRoom(buckets: Buckets, { at, maxBuckets }: { at: number; maxBuckets: number }): boolean {
  const { fullAt } = buckets;
  if (fullAt.size < maxBuckets) return true;
  if (at - buckets.sweptAt < SWEEP_MS) return false;
  buckets.sweptAt = at;
  for (const [key, full] of fullAt) if (full <= at) fullAt.delete(key);
  return fullAt.size < maxBuckets;
}
