/** One bucket that a call wants one token of. */
export interface RateAsk {
  /** Name of the rule; buckets of two rules never meet. */
  readonly rule: string;
  /** Whose bucket of that rule. */
  readonly key: string;
  /** Milliseconds in which one token comes back. */
  readonly intervalMs: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** How one bucket or quota stands after it was asked. */
export interface Standing {
  /** Calls that would be let through now. */
  readonly left: number;
  /** Milliseconds: until all is there again; where nothing is left, until the next call may come. */
  readonly resetMs: number;
}

export interface Taken {
  /** One for each that was asked, in the same order. */
  readonly standings: readonly Standing[];
  /** Index of the one that refused; `undefined`: each gave its token. Otherwise none gave any. */
  readonly refusedBy: number | undefined;
}

/** Token buckets, here or shared by replicas. A promise only where the answer comes over a wire. */
export interface RateCounters {
  /** All or nothing: a call that one rule stops uses up nothing of the others. */
  take(asks: readonly RateAsk[]): Taken | Promise<Taken>;
}

/** One count of a calendar day or month (UTC) that a call wants to raise by one. */
export interface QuotaAsk {
  readonly rule: string;
  readonly key: string;
  readonly limit: number;
  readonly window: 'day' | 'month';
}

/** Counts that outlive a restart. */
export interface QuotaCounts {
  /** All or nothing, as with buckets. */
  take(asks: readonly QuotaAsk[]): Taken | Promise<Taken>;
}
