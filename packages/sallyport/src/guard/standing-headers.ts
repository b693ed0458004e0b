import type { LimitRule, QuotaRule } from '../config/limits-section.ts';
import type { Standing } from './limit-ports.ts';

/** Header lines by name, of one HTTP answer. */
export type StandingHeaders = Readonly<Record<string, string>>;

export const NO_STANDING: StandingHeaders = Object.freeze({});

const WINDOW_SECONDS = { day: 86_400, month: 2_592_000 } as const;

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10, structured-field lists), joined to what
 * was said of other rules. `t` says when all is there again, or where nothing is left, when the next call may come.
 */
export function toStandingHeaders(
  before: StandingHeaders,
  rules: readonly (LimitRule | QuotaRule)[],
  standings: readonly Standing[],
): StandingHeaders {
  let policy = before['ratelimit-policy'] ?? '';
  let state = before['ratelimit'] ?? '';
  rules.forEach((rule, index) => {
    const standing = standings[index];
    if (standing === undefined) return;
    const comma = policy === '' ? '' : ', ';
    // Names are checked when the configuration is read: no quote and no backslash stands in them.
    policy += `${comma}"${rule.name}";${toPolicy(rule)}`;
    state += `${comma}"${rule.name}";r=${standing.left};t=${Math.max(0, Math.ceil(standing.resetMs / 1000))}`;
  });
  return { 'ratelimit-policy': policy, ratelimit: state };
}

function toPolicy(rule: LimitRule | QuotaRule): string {
  if ('limit' in rule) return `q=${rule.limit};w=${WINDOW_SECONDS[rule.window]}`;
  // A bucket gives its burst at once and refills it in this time.
  return `q=${rule.burst};w=${Math.max(1, Math.round((rule.periodMs / rule.count) * rule.burst * 0.001))}`;
}
