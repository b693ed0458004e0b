import type { LimitRule, LimitsSettings, QuotaRule } from '../config/limits-section.ts';
import type { Call } from '../core/call.ts';
import { matchesGlob } from '../core/glob.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import type { QuotaAsk, QuotaCounts, RateAsk, RateCounters, Standing, Taken } from './limit-ports.ts';
import { type StandingHeaders, type Told, toStandingHeaders } from './standing-headers.ts';

export interface RateLimitPorts {
  /** Of the snapshot in force. */
  readonly limits: () => LimitsSettings;
  readonly rates: RateCounters;
  readonly quotas: QuotaCounts;
}

/** The guard, and what the HTTP answer says of the limits a call fell under. */
export interface RateLimit extends Guard {
  /** Header lines of a call this guard has seen, said once; `undefined`: no limit concerns it. */
  headersFor(call: Pick<Call, 'id'>): StandingHeaders | undefined;
}

/** Calls whose answers have not said yet how their counts stand; as many as may be in flight, and more. */
const MAX_UNSAID = 10_000;

/** Right after size and shape: how often a caller may call, before anything dearer than counting is done for it. */
export function rateLimit({ limits, rates, quotas }: RateLimitPorts): RateLimit {
  const seen = new Map<string, Told[]>();
  const tell = (id: string, told: Told): void => {
    const before = seen.get(id);
    if (before !== undefined) {
      before.push(told);
      return;
    }
    const oldest = seen.size < MAX_UNSAID ? undefined : seen.keys().next().value;
    if (oldest !== undefined) seen.delete(oldest);
    seen.set(id, [told]);
  };
  const finish = (call: Call, rules: readonly Rule[], taken: Taken): Verdict => {
    tell(call.id, { rules, standings: taken.standings });
    if (taken.refusedBy === undefined) return ALLOW;
    const rule = rules[taken.refusedBy];
    const standing = taken.standings[taken.refusedBy];
    // Fail closed: a refusal that names no rule of ours is a refusal.
    if (rule === undefined || standing === undefined) throw new TypeError('a counter refused for no rule');
    return { kind: 'deny', code: 'too_many', reason: toReason(rule, standing) };
  };
  const countQuotas = (call: Call, settings: LimitsSettings): Verdict | Promise<Verdict> => {
    const rules = matching(settings.quotas, call);
    if (rules.length === 0) return ALLOW;
    const taken = quotas.take(rules.map((rule) => toQuotaAsk(rule, call)));
    return taken instanceof Promise ? taken.then((late) => finish(call, rules, late)) : finish(call, rules, taken);
  };
  return {
    name: 'rate-limit',
    headersFor({ id }) {
      const told = seen.get(id);
      if (told === undefined) return undefined;
      seen.delete(id);
      return toStandingHeaders(told);
    },
    request(call) {
      const settings = limits();
      if (settings.rules.length === 0 && settings.quotas.length === 0) return ALLOW;
      const rules = matching(settings.rules, call);
      if (rules.length === 0) return countQuotas(call, settings);
      const taken = rates.take(rules.map((rule) => toRateAsk(rule, call)));
      const then = (done: Taken) => {
        const verdict = finish(call, rules, done);
        // What is not let through is not counted either: a quota is for calls that were made.
        return verdict === ALLOW ? countQuotas(call, settings) : verdict;
      };
      return taken instanceof Promise ? taken.then(then) : then(taken);
    },
  };
}

type Rule = LimitRule | QuotaRule;

const NONE: readonly never[] = Object.freeze([]);

function matching<R extends Rule>(rules: readonly R[], call: Call): readonly R[] {
  return rules.length === 0 ? NONE : rules.filter((rule) => matches(rule, call));
}

function matches({ match }: Rule, { tool, client }: Call): boolean {
  return (
    (match.upstream === undefined || matchesGlob(match.upstream, tool.upstream)) &&
    (match.tool === undefined || matchesGlob(match.tool, tool.name)) &&
    (match.group === undefined || client.principal.groups.includes(match.group))
  );
}

function toRateAsk(rule: LimitRule, call: Call): RateAsk {
  const { name, periodMs, count, burst } = rule;
  return { rule: name, key: toKey(rule.per, call), intervalMs: periodMs / count, burst };
}

function toQuotaAsk(rule: QuotaRule, call: Call): QuotaAsk {
  return { rule: rule.name, key: toKey(rule.per, call), limit: rule.limit, window: rule.window };
}

/** NUL stands in no name: `a` + `b\0c` and `a\0b` + `c` cannot be the same key. */
function toKey(per: LimitRule['per'], { tool, client }: Call): string {
  switch (per) {
    case 'principal':
      return client.principal.id;
    case 'upstream':
      return tool.upstream;
    case 'tool':
      return `${tool.upstream}\0${tool.name}`;
    case 'principal+tool':
      return `${client.principal.id}\0${tool.upstream}\0${tool.name}`;
  }
}

const SHARED_BY: Readonly<Record<LimitRule['per'], string>> = {
  principal: 'this caller',
  upstream: 'this server, for all callers together',
  tool: 'this tool, for all callers together',
  'principal+tool': 'this caller and this tool',
};

function toReason(rule: Rule, { resetMs }: Standing): string {
  const wait = toDuration(resetMs);
  const what =
    'rate' in rule
      ? `Too many calls: the limit "${rule.name}" is ${rule.rate}, at most ${rule.burst} at once`
      : `The quota "${rule.name}" is used up: ${rule.limit} calls per ${rule.window} (UTC)`;
  return `${what}, counted for ${SHARED_BY[rule.per]}. Try again in ${wait}; calls before that are refused as well.`;
}

function toDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
