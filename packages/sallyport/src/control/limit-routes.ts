import type { LimitMatch, LimitRule, QuotaRule } from '../config/limits-section.ts';
import type { JsonObject } from '../core/json.ts';
import { endOfWindow, readQuotaUse } from '../storage/quotas.ts';
import { describePage, pageOfItems } from './page.ts';
import type { ControlPorts } from './ports.ts';
import { NULLABLE_TEXT, objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TEXT } from './route.ts';

const COUNT: Schema = { type: 'integer' };
const PER: Schema = { enum: ['principal', 'tool', 'upstream', 'principal+tool'] };
const MATCH: Schema = {
  type: 'object',
  properties: { upstream: TEXT, tool: TEXT, group: TEXT },
  description: 'What is left out matches everything.',
};

const LIMITS: Schema = objectOf({
  rules: {
    type: 'array',
    items: objectOf({ name: TEXT, per: PER, match: MATCH, rate: TEXT, burst: COUNT }),
  },
  quotas: {
    type: 'array',
    items: objectOf({ name: TEXT, per: PER, match: MATCH, limit: COUNT, window: { enum: ['day', 'month'] } }),
  },
});

const USE: Schema = objectOf({
  quota: TEXT,
  window: { enum: ['day', 'month'] },
  period: { type: 'string', description: 'The day or month (UTC).' },
  principal: { ...NULLABLE_TEXT, description: 'Whose count it is; null: of all callers together.' },
  upstream: NULLABLE_TEXT,
  tool: NULLABLE_TEXT,
  used: COUNT,
  limit: COUNT,
  left: COUNT,
  resetsAt: { type: 'string', format: 'date-time' },
});

/** What callers may use, and what they have used. */
export function limitRoutes({ sections, database, clock }: ControlPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/limits',
      id: 'listLimits',
      summary: 'The rate limits and quotas in force',
      role: 'viewer',
      result: LIMITS,
      handle: () => {
        const { rules = [], quotas = [] } = sections().limits ?? {};
        return { rules: rules.map(toRule), quotas: quotas.map(toQuota) };
      },
    },
    {
      method: 'GET',
      path: '/limits/usage',
      id: 'listUsage',
      summary: 'What has been used of the quotas of this day and month',
      role: 'viewer',
      query: [
        ...PAGE_PARAMETERS,
        { name: 'principal', description: 'Only the counts of this caller.', schema: TEXT },
        { name: 'quota', description: 'Only of this quota.', schema: TEXT },
      ],
      result: pageOf(USE),
      handle: async ({ query }) => {
        const now = clock.now();
        const quotas = sections().limits?.quotas ?? [];
        const rows = quotas.length === 0 ? [] : await readQuotaUse(await database(), now);
        const uses = rows.flatMap((row) => {
          const quota = quotas.find(({ name, window }) => name === row.rule && window === row.window);
          return quota === undefined ? [] : [toUse(quota, row, now)];
        });
        const wanted = (member: 'principal' | 'quota', use: JsonObject) =>
          query.get(member) === null || use[member] === query.get(member);
        const items = uses.filter((use) => wanted('principal', use) && wanted('quota', use));
        items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
        return describePage(pageOfItems(items, query, keyOf), (use) => use);
      },
    },
  ];
}

function keyOf({ quota, period, principal, upstream, tool }: JsonObject): string {
  return [quota, period, principal, upstream, tool].map((part) => encodeURIComponent(String(part ?? ''))).join('~');
}

function toMatch({ upstream, tool, group }: LimitMatch): JsonObject {
  return {
    ...(upstream === undefined ? {} : { upstream }),
    ...(tool === undefined ? {} : { tool }),
    ...(group === undefined ? {} : { group }),
  };
}

function toRule({ name, per, match, rate, burst }: LimitRule): JsonObject {
  return { name, per, match: toMatch(match), rate, burst };
}

function toQuota({ name, per, match, limit, window }: QuotaRule): JsonObject {
  return { name, per, match: toMatch(match), limit, window };
}

function toUse(quota: QuotaRule, row: { subject: string; period: string; used: number }, now: number): JsonObject {
  const parts = row.subject.split('\0');
  const [principal = null, upstream = null, tool = null] = {
    principal: [parts[0]],
    upstream: [undefined, parts[0]],
    tool: [undefined, parts[0], parts[1]],
    'principal+tool': parts,
  }[quota.per];
  return {
    quota: quota.name,
    window: quota.window,
    period: row.period,
    principal,
    upstream,
    tool,
    used: row.used,
    limit: quota.limit,
    left: Math.max(0, quota.limit - row.used),
    resetsAt: new Date(endOfWindow(quota.window, now)).toISOString(),
  };
}
