import type { LimitRule, QuotaRule } from '../config/limits-section.ts';
import type { Standing } from './limit-ports.ts';

const WINDOW_SECONDS = { day: 86_400, month: 2_592_000 } as const;

/** `RateLimit-Policy`: what the limits are (draft-ietf-httpapi-ratelimit-headers-10, a structured-field list). */
export function toPolicyHeader(rules: readonly (LimitRule | QuotaRule)[]): string {
  // Names are checked when the configuration is read: no quote and no backslash stands in them.
  return rules.map((rule) => `"${rule.name}";${toPolicy(rule)}`).join(', ');
}

/**
 * Items of `RateLimit` (the same draft): `r` calls are left; `t` says when all is there again or, where nothing is
 * left, when the next call may come. Seconds.
 */
export function toStandingHeader(rules: readonly (LimitRule | QuotaRule)[], standings: readonly Standing[]): string {
  let header = '';
  for (let i = 0; i < rules.length; i++) {
    const { left, resetMs } = standings[i] ?? NOTHING;
    const seconds = resetMs > 0 ? Math.ceil(resetMs / 1000) : 0;
    header += `${i === 0 ? '' : ', '}"${rules[i]?.name}";r=${left};t=${seconds}`;
  }
  return header;
}

const NOTHING: Standing = { left: 0, resetMs: 0 };

function toPolicy(rule: LimitRule | QuotaRule): string {
  if ('limit' in rule) return `q=${rule.limit};w=${WINDOW_SECONDS[rule.window]}`;
  // A bucket gives its burst at once and refills it in this time.
  return `q=${rule.burst};w=${Math.max(1, Math.round((rule.periodMs / rule.count) * rule.burst * 0.001))}`;
}
