import { afterEach, describe, expect, test, vi } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import { type Guard, inspectRequest, inspectResult, needsResult } from './guard.ts';

const call = toCall({ arguments: { text: 'secret-value' } });
const deny = (reason: string): Verdict => ({ kind: 'deny', reason, code: 'denied' });
const rewrite = (value: JsonObject): Verdict => ({ kind: 'rewrite', value, reason: 'cleaned' });
const guard = (name: string, request: NonNullable<Guard['request']>): Guard => ({ name, request });

afterEach(() => vi.useRealTimers());

describe('the outer door', () => {
  test('allows when nobody objects, without a promise', () => {
    const decision = inspectRequest(
      [guard('a', () => ALLOW), { name: 'b' }, guard('c', () => ({ kind: 'allow' }))],
      call,
    );
    expect(decision).toEqual({ verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined });
  });

  test.each([
    ['deny', deny('no')],
    ['ask', { kind: 'ask', reason: 'sure?' } as const],
  ])('the first %s wins and nobody after it is asked', (_, verdict) => {
    const after = vi.fn(() => ALLOW);
    const decision = inspectRequest([guard('a', () => ALLOW), guard('b', () => verdict), guard('c', after)], call);
    expect(decision).toMatchObject({ verdict, guard: 'b' });
    expect(after).not.toHaveBeenCalled();
  });

  test.each([
    ['at once', (verdict: Verdict) => verdict],
    ['later', (verdict: Verdict) => Promise.resolve(verdict)],
  ])('rewrites chain when they come %s: the next guard sees the rewritten value', async (_, when) => {
    const seen: unknown[] = [];
    const decision = await inspectRequest(
      [
        guard('a', () => when(rewrite({ text: 'one' }))),
        guard('b', (at) => {
          seen.push(at.arguments);
          return when(rewrite({ text: 'two' }));
        }),
        guard('c', (at) => {
          seen.push(at.arguments);
          return when(ALLOW);
        }),
      ],
      call,
    );
    expect(seen).toEqual([{ text: 'one' }, { text: 'two' }]);
    expect(decision).toMatchObject({ guard: 'b', verdict: { kind: 'rewrite' }, rewritten: { text: 'two' } });
    expect(call.arguments).toEqual({ text: 'secret-value' });
  });

  test('what was rewritten before an ask is kept: the person approves the rewritten call', () => {
    const decision = inspectRequest(
      [guard('a', () => rewrite({ text: 'one' })), guard('b', () => ({ kind: 'ask', reason: 'sure?' }))],
      call,
    );
    expect(decision).toMatchObject({ guard: 'b', verdict: { kind: 'ask' }, rewritten: { text: 'one' } });
  });
});

const broken =
  (answer: unknown): NonNullable<Guard['request']> =>
  () =>
    answer as Verdict;
const attacks: [string, NonNullable<Guard['request']>][] = [
  [
    'throws',
    () => {
      throw new Error('secret-value');
    },
  ],
  [
    'throws a string',
    () => {
      throw 'secret-value';
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret-value'))],
  ['returns nothing', broken(undefined)],
  ['returns true', broken(true)],
  ['resolves to nothing', () => Promise.resolve(undefined as unknown as Verdict)],
  ['returns an unknown kind', broken({ kind: 'maybe', reason: 'r' })],
  ['denies without a reason', broken({ kind: 'deny', code: 'denied' })],
  ['denies with an unknown code', broken({ kind: 'deny', reason: 'r', code: 'whatever' })],
  ['asks without a reason', broken({ kind: 'ask' })],
  ['rewrites to nothing', broken({ kind: 'rewrite', reason: 'r' })],
  ['allows on a condition', broken({ kind: 'allow', unless: 'tuesday' })],
  ['denies and says more', broken({ kind: 'deny', reason: 'r', code: 'denied', override: true })],
  ['rewrites and says more', broken({ kind: 'rewrite', reason: 'r', value: {}, headers: {} })],
  ['asks three people', broken({ kind: 'ask', reason: 'r', people: 3 })],
  ['asks about no list', broken({ kind: 'ask', reason: 'r', classes: 'delete' })],
  [
    'throws when its verdict is read',
    broken({
      get kind() {
        throw new Error('secret-value');
      },
    }),
  ],
  ['resolves to an array', () => Promise.resolve([] as unknown as Verdict)],
  ['rewrites to an array', broken({ kind: 'rewrite', reason: 'r', value: [] })],
];

describe('a broken guard denies', () => {
  test.each(attacks)('one that %s', async (_, request) => {
    const after = vi.fn(() => ALLOW);
    const decision = await inspectRequest([guard('broken', request), guard('after', after)], call);
    expect(decision).toMatchObject({
      guard: 'broken',
      rewritten: undefined,
      verdict: { kind: 'deny', code: 'denied' },
    });
    expect(decision.verdict).toHaveProperty('reason', expect.stringContaining('The guard "broken" failed'));
    expect(JSON.stringify(decision.verdict)).not.toContain('secret-value');
    expect(decision.cause).toBeDefined();
    expect(after).not.toHaveBeenCalled();
  });

  test('a door says whether the call ran, and only the outer one says to try again', async () => {
    const late = () => Promise.reject(new FaultError('overloaded', 'The disk is full. Try again later.'));
    const outer = await inspectRequest([guard('store', late)], call);
    expect(outer.verdict).toHaveProperty(
      'reason',
      'The guard "store" failed, so the call was not made. The disk is full. Try again; if it fails again, ask the operator to look into the log.',
    );
    for (const result of [late, () => ({ kind: 'perhaps' }) as never]) {
      const inner = await inspectResult([{ name: 'store', result }], call, {});
      expect(inner.verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('The call ran') });
      expect(JSON.stringify(inner.verdict)).not.toMatch(/[Tt]ry again|not made/);
    }
  });

  test('one that never answers, after two seconds', async () => {
    vi.useFakeTimers();
    const pending = inspectRequest([guard('slow', () => new Promise(() => {}))], call);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await pending).toMatchObject({ guard: 'slow', verdict: { kind: 'deny' } });
  });

  test('one that rejects after its deadline disturbs nobody', async () => {
    vi.useFakeTimers();
    const late = new Promise<Verdict>((_, reject) => setTimeout(() => reject(new Error('late')), 3_000));
    const pending = inspectRequest([guard('late', () => late)], call);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await pending).toMatchObject({ guard: 'late', verdict: { kind: 'deny' } });
  });

  test('a guard after one that took its time is held to the same', async () => {
    const decision = await inspectRequest(
      [
        guard('slow', () => Promise.resolve(ALLOW)),
        guard('broken', () => {
          throw new Error('x');
        }),
      ],
      call,
    );
    expect(decision).toMatchObject({ guard: 'broken', verdict: { kind: 'deny' } });
  });
});

describe('the inner door', () => {
  const result: JsonObject = { content: [] };
  const reads = (name: string, read: NonNullable<Guard['result']>): Guard => ({
    name,
    readsResult: () => true,
    result: read,
  });

  test('chains rewrites and stops at a deny', () => {
    const marked = inspectResult(
      [reads('a', () => rewrite({ n: 1 })), reads('b', (_, seen) => rewrite({ ...seen, m: 2 }))],
      call,
      result,
    );
    expect(marked).toMatchObject({ guard: 'b', rewritten: { n: 1, m: 2 } });
    expect(inspectResult([reads('a', () => deny('no'))], call, result)).toMatchObject({
      verdict: deny('no'),
      guard: 'a',
    });
  });

  test('asks only the guards that read this result', () => {
    const unread = vi.fn(() => deny('no'));
    expect(inspectResult([{ name: 'a', readsResult: () => false, result: unread }], call, result)).toMatchObject({
      verdict: ALLOW,
    });
    expect(unread).not.toHaveBeenCalled();
  });

  test.each<[string, Guard, boolean]>([
    ['has no result phase', { name: 'a', request: () => ALLOW }, false],
    ['says no', { name: 'a', readsResult: () => false, result: () => ALLOW }, false],
    ['says yes', { name: 'a', readsResult: () => true, result: () => ALLOW }, true],
    ['does not say', { name: 'a', result: () => ALLOW }, true],
    [
      'fails while saying',
      {
        name: 'a',
        readsResult: () => {
          throw new Error('x');
        },
        result: () => ALLOW,
      },
      true,
    ],
  ])('a guard that %s: the result is read accordingly', (_, one, expected) => {
    expect(needsResult([one], call)).toBe(expected);
  });

  test('a guard that fails while saying whether it reads, denies', () => {
    const failing: Guard = {
      name: 'a',
      readsResult: () => {
        throw new Error('x');
      },
      result: () => ALLOW,
    };
    expect(inspectResult([failing], call, result)).toMatchObject({ guard: 'a', verdict: { kind: 'deny' } });
  });
});
