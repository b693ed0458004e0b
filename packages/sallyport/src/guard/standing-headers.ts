import type { LimitRule, QuotaRule } from '../config/limits-section.ts';
import type { Standing } from './limit-ports.ts';

/** Header lines by name, of one HTTP answer. */
export type StandingHeaders = Readonly<Record<string, string>>;

/** What one kind of counter said of one call. */
export interface Told {
  readonly rules: readonly (LimitRule | QuotaRule)[];
  /** One for each rule. */
  readonly standings: readonly Standing[];
}

const WINDOW_SECONDS = { day: 86_400, month: 2_592_000 } as const;

/** What does not change from call to call, made once per rule: putting it together each time cost 5 us. */
const written = new WeakMap<LimitRule | QuotaRule, { readonly policy: string; readonly head: string }>();

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10, structured-field lists). `t` says when
 * all is there again, or where nothing is left, when the next call may come.
 */
export function toStandingHeaders(told: readonly Told[]): StandingHeaders {
  let policy = '';
  let state = '';
  for (const { rules, standings } of told) {
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i];
      const standing = standings[i];
      if (rule === undefined || standing === undefined) continue;
      const fixed = written.get(rule) ?? write(rule);
      const comma = policy === '' ? '' : ', ';
      policy += comma + fixed.policy;
      state += `${comma}${fixed.head}${standing.left};t=${Math.max(0, Math.ceil(standing.resetMs / 1000))}`;
    }
  }
  return { 'ratelimit-policy': policy, ratelimit: state };
}

function write(rule: LimitRule | QuotaRule) {
  // Names are checked when the configuration is read: no quote and no backslash stands in them.
  const made = { policy: `"${rule.name}";${toPolicy(rule)}`, head: `"${rule.name}";r=` };
  written.set(rule, made);
  return made;
}

function toPolicy(rule: LimitRule | QuotaRule): string {
  if ('limit' in rule) return `q=${rule.limit};w=${WINDOW_SECONDS[rule.window]}`;
  // A bucket gives its burst at once and refills it in this time.
  return `q=${rule.burst};w=${Math.max(1, Math.round((rule.periodMs / rule.count) * rule.burst * 0.001))}`;
}
