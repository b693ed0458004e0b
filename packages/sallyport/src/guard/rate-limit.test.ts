import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { limitsSchema, resolveLimits } from '../config/limits-section.ts';
import { toAuditSubject } from '../core/audit.ts';
import type { Principal } from '../core/principal.ts';
import { ALLOW } from '../core/verdict.ts';
import type { QuotaAsk, RateAsk, Taken } from './limit-ports.ts';
import { rateLimit } from './rate-limit.ts';

function bench(written: object, refuse = false) {
  const problems: string[] = [];
  const limits = resolveLimits(limitsSchema.parse(written), ['github', 'files'], (path, message) =>
    problems.push(`${path.join('.')}: ${message}`),
  );
  const asked: (RateAsk | QuotaAsk)[][] = [];
  const take = (asks: readonly (RateAsk | QuotaAsk)[]): Taken => {
    asked.push([...asks]);
    return {
      standings: asks.map(() => (refuse ? { left: 0, resetMs: 12_300 } : { left: 7, resetMs: 500 })),
      refusedBy: refuse ? 0 : undefined,
    };
  };
  const guard = rateLimit({ limits: () => limits, rates: { take }, quotas: { take } });
  return { guard, asked, problems };
}

const call = (upstream = 'github', name = 'search', groups: readonly string[] = []) => {
  const principal: Principal = { id: 'key:ann', kind: 'key', groups };
  const sample = toCall();
  const notes = toAuditSubject('call-1', 'tools/call', { client: sample.client, requestBytes: 0, snapshotVersion: 1 });
  return toCall({ tool: toTool({ name }, { upstream }), client: { ...sample.client, principal }, notes });
};

describe('harmless', () => {
  test('no rule, no work', () => {
    const { guard, asked } = bench({});
    const one = call();
    expect(guard.judge(one)).toBe(ALLOW);
    expect(asked).toEqual([]);
    expect(one.notes?.standing).toBeUndefined();
  });

  test.each([
    [{ upstream: 'files' }, 0],
    [{ upstream: 'git*' }, 1],
    [{ tool: 'sea?ch' }, 1],
    [{ tool: 'Search' }, 0],
    [{ group: 'interns' }, 0],
    [{ upstream: 'github', tool: '*', group: 'dev' }, 1],
  ])('%j counts %i of the call', (match, count) => {
    const { guard, asked } = bench({ rules: [{ per: 'principal', rate: '60/min', match }] });
    expect(guard.judge(call('github', 'search', ['dev']))).toBe(ALLOW);
    expect(asked).toHaveLength(count);
  });

  test('says where the caller stands', () => {
    const { guard } = bench({
      rules: [{ per: 'principal', rate: '60/min', burst: 10 }],
      quotas: [{ name: 'daily', per: 'tool', limit: '1000/day' }],
    });
    const one = call();
    expect(guard.judge(one)).toBe(ALLOW);
    expect(one.notes?.standing).toEqual({
      'ratelimit-policy': '"principal:60/min";q=10;w=10, "daily";q=1000;w=86400',
      ratelimit: '"principal:60/min";r=7;t=1, "daily";r=7;t=1',
    });
  });
});

describe('attacks', () => {
  test.each([
    ['principal', 'key:ann'],
    ['upstream', 'github'],
    ['tool', 'github\0search'],
    ['principal+tool', 'key:ann\0github\0search'],
  ])('per %s is one bucket', (per, key) => {
    const { guard, asked } = bench({ rules: [{ per, rate: '60/min' }] });
    void guard.judge(call());
    expect(asked).toEqual([[{ rule: `${per}:60/min`, key, intervalMs: 1_000, burst: 60 }]]);
  });

  test('the model reads what the limit is and when to try again, and no quota is used', () => {
    const { guard, asked } = bench(
      { rules: [{ per: 'principal', rate: '60/min' }], quotas: [{ per: 'tool', limit: '9/day' }] },
      true,
    );
    const one = call();
    expect(guard.judge(one)).toEqual({
      kind: 'deny',
      code: 'too_many',
      reason:
        'Too many calls: the limit "principal:60/min" is 60/min, at most 60 at once, counted for this caller. Try again in 13 s; calls before that are refused as well.',
    });
    expect(asked).toHaveLength(1);
    expect(one.notes?.standing?.['ratelimit']).toBe('"principal:60/min";r=0;t=13');
  });

  test('a counter that answers later, fails or refuses for no reason', async () => {
    const limits = resolveLimits(
      limitsSchema.parse({ rules: [{ per: 'principal', rate: '1/s' }] }),
      [],
      () => undefined,
    );
    const over = (taken: Taken | Promise<Taken>) =>
      rateLimit({ limits: () => limits, rates: { take: () => taken }, quotas: { take: () => taken } });
    const fine = { standings: [{ left: 1, resetMs: 0 }], refusedBy: undefined };
    expect(await over(Promise.resolve(fine)).judge(call())).toBe(ALLOW);
    await expect(over(Promise.reject(new Error('gone'))).judge(call())).rejects.toThrow('gone');
    expect(() => over({ standings: [], refusedBy: 5 }).judge(call())).toThrow('no rule');
  });
});

describe('rules that cannot be meant', () => {
  test.each([
    [{ rules: [{ per: 'principal', rate: '1/s', match: { upstream: 'githb' } }] }, 'matches no server'],
    [{ quotas: [{ per: 'tool', limit: '1/day', match: { upstream: 'x*' } }] }, 'matches no server'],
    [
      {
        rules: [
          { name: 'a', per: 'tool', rate: '1/s' },
          { name: 'a', per: 'tool', rate: '2/s' },
        ],
      },
      'two limits',
    ],
  ])('%j', (written, problem) => {
    expect(bench(written).problems.join()).toContain(problem);
  });

  test('two alike get names of their own', () => {
    expect(
      bench({
        rules: [
          { per: 'tool', rate: '1/s' },
          { per: 'tool', rate: '1/s' },
        ],
      }).problems,
    ).toEqual([]);
  });

  test.each([
    { rules: [{ per: 'person', rate: '1/s' }] },
    { rules: [{ per: 'tool', rate: '0/s' }] },
    { rules: [{ per: 'tool', rate: '1/week' }] },
    { rules: [{ per: 'tool', rate: '1/s', burst: 0 }] },
    { rules: [{ name: 'a"b', per: 'tool', rate: '1/s' }] },
    { quotas: [{ per: 'tool', limit: '1/min' }] },
    { rule: [] },
  ])('%j is refused', (written) => {
    expect(limitsSchema.safeParse(written).success).toBe(false);
  });
});
