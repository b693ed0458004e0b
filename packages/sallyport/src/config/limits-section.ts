import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';

/** One rate limit, resolved. */
export interface LimitRule {
  readonly name: string;
  readonly per: 'principal' | 'tool' | 'upstream' | 'principal+tool';
  readonly match: LimitMatch;
  /** As written, for people. */
  readonly rate: string;
  readonly count: number;
  readonly periodMs: number;
  readonly burst: number;
}

/** One quota, resolved. */
export interface QuotaRule {
  readonly name: string;
  readonly per: LimitRule['per'];
  readonly match: LimitMatch;
  readonly limit: number;
  readonly window: 'day' | 'month';
}

/** What is left out matches everything. Names are patterns with `*` and `?`. */
export interface LimitMatch {
  readonly upstream?: string | undefined;
  /** The tool's own name at the upstream. */
  readonly tool?: string | undefined;
  readonly group?: string | undefined;
}

export interface LimitsSettings {
  readonly rules: readonly LimitRule[];
  readonly quotas: readonly QuotaRule[];
}

const PERIODS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['min', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
]);
const RATE = /^([1-9]\d{0,6})\/(s|min|hour|day)$/;
const QUOTA = /^([1-9]\d{0,8})\/(day|month)$/;
/** Every rule that matches is counted on every call. */
const MAX_RULES = 64;

const per = z
  .enum(['principal', 'tool', 'upstream', 'principal+tool'])
  .describe('Who or what shares one count: each caller, each tool, each server, or each caller with each tool.');
const name = z
  .string()
  .regex(/^[A-Za-z0-9_.:+/*-]{1,64}$/, { error: 'expected 1 to 64 of the characters A-Z a-z 0-9 _ . : + / * -' })
  .optional()
  .describe('Shown in refusals and in the RateLimit headers. Left out: made of the rule.');
const match = z
  .strictObject({
    upstream: z
      .string()
      .min(1)
      .max(64)

      .optional()
      .describe('A server by its name here; * stands for any characters, ? for one.'),
    tool: z
      .string()
      .min(1)
      .max(128)

      .optional()
      .describe('A tool by its own name at the server; * as above.'),
    group: z.string().min(1).max(128).optional().describe('Callers of this group only.'),
  })
  .prefault({})
  .describe('Which calls the rule counts. What is left out matches everything.');

export const limitsSchema = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        name,
        per,
        match,
        rate: z
          .string()
          .regex(RATE, { error: 'expected a rate, e.g. "60/min"; units are s, min, hour and day' })
          .describe('How many calls come back in which time, e.g. "60/min".'),
        burst: z
          .int()
          .min(1)
          .max(1_000_000)
          .optional()
          .describe('How many calls at once after a pause. Left out: the number in rate.'),
      }),
    )
    .max(MAX_RULES)
    .default([])
    .describe('Rate limits on tools/call. Empty: only gateway.limits bounds what a caller may do.'),
  quotas: z
    .array(
      z.strictObject({
        name,
        per,
        match,
        limit: z
          .string()
          .regex(QUOTA, { error: 'expected a quota, e.g. "1000/day" or "20000/month"' })
          .describe('How many calls in a calendar day or month (UTC). The counts outlive a restart.'),
      }),
    )
    .max(MAX_RULES)
    .default([])
    .describe('Calls per calendar day or month.'),
});

export type WrittenLimits = z.output<typeof limitsSchema>;

/** Reports something wrong at a key of this section. */
type Report = (path: readonly (string | number)[], message: string) => void;

/** @param servers names that stand in the file: a rule for a server that does not would never match, and never limit */
export function resolveLimits(written: WrittenLimits, servers: readonly string[], report: Report): LimitsSettings {
  const taken = new Set<string>();
  const toName = (given: string | undefined, made: string, path: readonly (string | number)[]): string => {
    // A name made by us is cut to what a header may carry, and told apart by its place where it is not alone.
    const cut = made.replace(/[^A-Za-z0-9_.:+/*-]/g, '-').slice(0, 56);
    const chosen = given ?? (taken.has(cut) ? `${cut}:${path[1]}` : cut);
    if (taken.has(chosen)) report([...path, 'name'], `two limits are called "${chosen}"; their counts would be one`);
    taken.add(chosen);
    return chosen;
  };
  const toMatch = (match: LimitMatch, path: readonly (string | number)[]): LimitMatch => {
    const { upstream } = match;
    if (upstream !== undefined && !servers.some((server) => matchesGlob(upstream, server)))
      report([...path, 'match', 'upstream'], 'matches no server of this file, so it would limit nothing');
    return match;
  };
  const rules = written.rules.map((rule, index): LimitRule => {
    const path = ['rules', index];
    const [, count = '1', unit = 's'] = RATE.exec(rule.rate) ?? [];
    return {
      name: toName(rule.name, `${rule.per}:${rule.rate}`, path),
      per: rule.per,
      match: toMatch(rule.match, path),
      rate: rule.rate,
      count: Number(count),
      periodMs: PERIODS.get(unit) ?? 1_000,
      burst: rule.burst ?? Number(count),
    };
  });
  const quotas = written.quotas.map((quota, index): QuotaRule => {
    const path = ['quotas', index];
    const [, limit = '1', window] = QUOTA.exec(quota.limit) ?? [];
    return {
      name: toName(quota.name, `${quota.per}:${quota.limit}`, path),
      per: quota.per,
      match: toMatch(quota.match, path),
      limit: Number(limit),
      window: window === 'month' ? 'month' : 'day',
    };
  });
  return { rules, quotas };
}
