/** Token buckets by tool and caller. */
export interface RateLimiter {
  /** @returns 0 when the call may go on, else the seconds until it may */
  take(key: string, perMinute: number): number;
  /** Whether this answer to a question has not come before: then it goes on with a call that was counted. */
  isNew(round: string): boolean;
}

const MINUTE = 60_000;
/** The longest unused bucket goes first: a full one and a missing one are the same. */
const MAX_BUCKETS = 10_000;

export function createRateLimiter(now: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const rounds = new Set<string>();
  return {
    isNew(round) {
      if (rounds.has(round)) return false;
      rounds.add(round);
      if (rounds.size > MAX_BUCKETS) rounds.delete(rounds.keys().next().value as string);
      return true;
    },
    take(key, perMinute) {
      const at = now();
      const known = buckets.get(key);
      const tokens =
        known === undefined ? perMinute : Math.min(perMinute, known.tokens + ((at - known.at) * perMinute) / MINUTE);
      buckets.delete(key);
      const isThrough = tokens >= 1;
      buckets.set(key, { tokens: isThrough ? tokens - 1 : tokens, at });
      if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string);
      return isThrough ? 0 : Math.max(1, Math.ceil(((1 - tokens) * MINUTE) / perMinute / 1000));
    },
  };
}
