import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toCall, toResult } from '../../test/sample-call.ts';
import type { JsonObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import { type Decision, type Guard, inspect } from './guard.ts';

/** What one guard does when it is asked. */
type Behaviour =
  | { readonly kind: 'answer'; readonly verdict: Verdict; readonly when: When }
  | { readonly kind: 'junk'; readonly value: unknown; readonly when: When }
  | { readonly kind: 'throw'; readonly value: unknown; readonly when: When }
  | { readonly kind: 'hang' };
type When = 'at once' | 'later' | 'in time' | 'too late';

const when = fc.constantFrom<When>('at once', 'later', 'in time', 'too late');
const reason = fc.string();
const code = fc.constantFrom('denied', 'schema', 'not_found', 'too_large', 'too_many', 'invalid_params');
const value = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
const verdict = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Verdict>(ALLOW, { kind: 'allow' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rewrite'), value, reason }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ask'), reason }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deny'), reason, code }) },
) as fc.Arbitrary<Verdict>;
/** A verdict with a member too many, one too few, or anything that never was one. */
const junk = fc.oneof(
  fc
    .tuple(verdict, fc.string(), fc.anything())
    .filter(([, name]) => !['kind', 'reason', 'code', 'value', 'classes', 'people', '__proto__'].includes(name))
    .map(([one, name, more]) => ({ ...one, [name]: more })),
  fc
    .tuple(verdict, fc.constantFrom('allowed', 'Allow', 'ALLOW', '', 'permit', 'toString', '__proto__'))
    .map(([one, kind]) => ({ ...one, kind })),
  reason.map((text) => ({ kind: 'deny', reason: text })),
  reason.map((text) => ({ kind: 'rewrite', reason: text, value: [text] })),
  fc.anything().filter((one) => !isThenable(one) && !isAllow(one)),
);
const behaviour = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('answer' as const), verdict, when }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('junk' as const), value: junk, when }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('throw' as const), value: fc.anything(), when }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'hang' as const }) },
) as fc.Arbitrary<Behaviour>;

function isThenable(one: unknown): boolean {
  return typeof one === 'object' && one !== null && 'then' in one;
}

function isAllow(one: unknown): boolean {
  return typeof one === 'object' && one !== null && 'kind' in one;
}

const DELAYS: Readonly<Record<When, number>> = { 'at once': 0, later: 0, 'in time': 1_999, 'too late': 2_001 };

function play(one: Behaviour): Verdict | Promise<Verdict> {
  if (one.kind === 'hang') return new Promise(() => {});
  const end = (): Verdict => {
    if (one.kind === 'throw') throw one.value;
    return (one.kind === 'junk' ? one.value : one.verdict) as Verdict;
  };
  if (one.when === 'at once') return end();
  if (one.when === 'later') return Promise.resolve().then(end);
  return new Promise((resolve, reject) => {
    setTimeout(() => {
      try {
        resolve(end());
      } catch (error) {
        reject(error);
      }
    }, DELAYS[one.when]);
  });
}

/** What the loop has to come to, said the shortest way. */
function foretell(behaviours: readonly Behaviour[]): { asked: number; kind: string; by: number; value: unknown } {
  let found: { kind: string; by: number; value: unknown } = { kind: 'allow', by: -1, value: undefined };
  for (const [i, one] of behaviours.entries()) {
    if (one.kind !== 'answer' || one.when === 'too late')
      return { asked: i + 1, kind: 'broken', by: i, value: undefined };
    if (one.verdict.kind === 'deny' || one.verdict.kind === 'ask')
      return { asked: i + 1, kind: one.verdict.kind, by: i, value: found.value };
    if (one.verdict.kind === 'rewrite') found = { kind: 'rewrite', by: i, value: one.verdict.value };
  }
  return { ...found, asked: behaviours.length };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each(['request', 'result'] as const)(
  'the %s phase: whatever guards do, only what every one of them allowed goes on',
  async (phase) => {
    const seen = { broken: 0, allowed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { maxLength: 6 }), async (behaviours) => {
        let asked = 0;
        const guards = behaviours.map((one, i): Guard => {
          const act = () => {
            asked++;
            return play(one);
          };
          return { name: `g${i}`, kinds: [phase === 'request' ? 'call' : 'result'], judge: act };
        });
        const call = toCall({ body: { as: 'it came' } });
        const pending = phase === 'request' ? inspect(guards, call) : inspect(guards, toResult(call, { a: 1 }));
        let decision: Decision | undefined;
        void Promise.resolve(pending).then((made) => {
          decision = made;
        });
        // Every guard has its own two seconds.
        await vi.advanceTimersByTimeAsync(2_002 * (behaviours.length + 1));
        const expected = foretell(behaviours);
        expect(asked).toBe(expected.asked);
        if (expected.kind === 'broken') {
          seen.broken++;
          expect(decision).toMatchObject({
            guard: `g${expected.by}`,
            verdict: { kind: 'deny', code: 'denied' },
            rewritten: undefined,
          });
        } else {
          seen.allowed++;
          expect(decision?.verdict.kind).toBe(expected.kind);
          expect(decision?.guard).toBe(expected.by < 0 ? undefined : `g${expected.by}`);
          if (expected.kind !== 'deny') expect(decision?.rewritten).toEqual(expected.value);
        }
      }),
      { numRuns: 500 },
    );
    // Denying everything must fail, too.
    expect(seen.broken).toBeGreaterThan(50);
    expect(seen.allowed).toBeGreaterThan(50);
  },
);
