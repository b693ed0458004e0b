import type { LimitRule, LimitsSettings, QuotaRule } from '../config/limits-section.ts';
import type { CallNotes, Tool } from '../core/call.ts';
import type { Envelope, FrozenSnapshot } from '../core/envelope.ts';
import { matchesGlob } from '../core/glob.ts';
import { PairCache } from '../core/pair-cache.ts';
import type { Principal } from '../core/principal.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import type { QuotaAsk, QuotaCounts, RateAsk, RateCounters, Standing, Taken } from './limit-ports.ts';
import { toPolicyHeader, toStandingHeader } from './standing-headers.ts';

export interface RateLimitPorts {
  readonly limits: (snapshot: FrozenSnapshot) => LimitsSettings;
  readonly rates: RateCounters;
  readonly quotas: QuotaCounts;
}

/** Right after size and shape: how often a caller may call, before anything dearer than counting is done for it. */
export function rateLimit({ limits, rates, quotas }: RateLimitPorts): Guard {
  const planOf = createPlans();
  const countQuotas = (call: Envelope, plan: Plan, rated: Taken): Verdict | Promise<Verdict> => {
    // What is not let through is not counted either: a quota is for calls that were made.
    if (rated.refusedBy !== undefined || plan.quotas.asks.length === 0) return conclude(call, plan, rated, NOT_ASKED);
    const taken = quotas.take(plan.quotas.asks);
    return taken instanceof Promise
      ? taken.then((late) => conclude(call, plan, rated, late))
      : conclude(call, plan, rated, taken);
  };
  return {
    name: 'rate-limit',
    kinds: ['call', 'own', 'read', 'prompt', 'completion', 'task', 'request', 'subscription'],
    isOn: (snapshot) => limits(snapshot).rules.length > 0 || limits(snapshot).quotas.length > 0,
    judge(call) {
      const settings = limits(call.snapshot);
      const plan = planOf(settings, call);
      if (plan.rates.asks.length === 0) return countQuotas(call, plan, NOT_ASKED);
      const taken = rates.take(plan.rates.asks);
      return taken instanceof Promise
        ? taken.then((late) => countQuotas(call, plan, late))
        : countQuotas(call, plan, taken);
    },
  };
}

const NOT_ASKED: Taken = { standings: [], refusedBy: undefined };

function conclude(call: Envelope, { rates, quotas }: Plan, rated: Taken, counted: Taken): Verdict {
  const { notes } = call;
  if (notes !== undefined) notes.standing = toHeaders(rates, rated, quotas, counted);
  if (rated.refusedBy !== undefined) return refuse(rates, rated, rated.refusedBy);
  return counted.refusedBy === undefined ? ALLOW : refuse(quotas, counted, counted.refusedBy);
}

function refuse({ rules }: Counters, { standings }: Taken, by: number): Verdict {
  const rule = rules[by];
  const standing = standings[by];
  // Fail closed: a refusal that names no rule of ours is a refusal.
  if (rule === undefined || standing === undefined) throw new TypeError('a counter refused for no rule');
  return { kind: 'deny', code: 'too_many', reason: toReason(rule, standing) };
}

/** `undefined`: no rule concerns the call. */
function toHeaders(rates: Counters, rated: Taken, quotas: Counters, counted: Taken): CallNotes['standing'] {
  const isRated = rated !== NOT_ASKED;
  if (counted === NOT_ASKED)
    return isRated
      ? { 'ratelimit-policy': rates.policy, ratelimit: toStandingHeader(rates.rules, rated.standings) }
      : undefined;
  const quota = toStandingHeader(quotas.rules, counted.standings);
  return isRated
    ? {
        'ratelimit-policy': `${rates.policy}, ${quotas.policy}`,
        ratelimit: `${toStandingHeader(rates.rules, rated.standings)}, ${quota}`,
      }
    : { 'ratelimit-policy': quotas.policy, ratelimit: quota };
}

/** The rules of one kind that a call falls under. */
interface Counters<Ask = unknown> {
  readonly rules: readonly Rule[];
  /** One for each rule. */
  readonly asks: readonly Ask[];
  /** Their part of `RateLimit-Policy`. */
  readonly policy: string;
}

interface Plan {
  readonly rates: Counters<RateAsk>;
  readonly quotas: Counters<QuotaAsk>;
}

/** What a caller's requests for one thing of a server are counted by is put together once. */
function createPlans(): (settings: LimitsSettings, envelope: Envelope) => Plan {
  let madeFor: LimitsSettings | undefined;
  let tools = new PairCache<Tool, Principal, Plan>();
  return (settings, envelope) => {
    if (settings !== madeFor) tools = new PairCache();
    madeFor = settings;
    const { tool } = envelope;
    if (tool === undefined) return toPlan(settings, envelope);
    const { principal } = envelope.client;
    let plan = tools.get(tool, principal);
    if (plan === undefined) {
      plan = toPlan(settings, envelope);
      tools.set(tool, principal, plan);
    }
    return plan;
  };
}

function toPlan(settings: LimitsSettings, call: Envelope): Plan {
  const rules = settings.rules.filter((rule) => matches(rule, call));
  const quotas = settings.quotas.filter((rule) => matches(rule, call));
  return {
    rates: { rules, asks: rules.map((rule) => toRateAsk(rule, call)), policy: toPolicyHeader(rules) },
    quotas: { rules: quotas, asks: quotas.map((rule) => toQuotaAsk(rule, call)), policy: toPolicyHeader(quotas) },
  };
}

type Rule = LimitRule | QuotaRule;

function matches({ match }: Rule, { upstream, target, tool, client }: Envelope): boolean {
  return (
    (match.upstream === undefined || matchesGlob(match.upstream, upstream)) &&
    (match.tool === undefined || (tool !== undefined && matchesGlob(match.tool, target))) &&
    (match.group === undefined || client.principal.groups.includes(match.group))
  );
}

function toRateAsk(rule: LimitRule, call: Envelope): RateAsk {
  const { name, periodMs, count, burst } = rule;
  return { rule: name, key: toKey(rule.per, call), intervalMs: periodMs / count, burst };
}

function toQuotaAsk(rule: QuotaRule, call: Envelope): QuotaAsk {
  return { rule: rule.name, key: toKey(rule.per, call), limit: rule.limit, window: rule.window };
}

/** NUL stands in no name: `a` + `b\0c` and `a\0b` + `c` cannot be the same key. */
function toKey(per: LimitRule['per'], { upstream, target, client }: Envelope): string {
  switch (per) {
    case 'principal':
      return client.principal.id;
    case 'upstream':
      return upstream;
    case 'tool':
      return `${upstream}\0${target}`;
    case 'principal+tool':
      return `${client.principal.id}\0${upstream}\0${target}`;
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
