import { afterEach, describe, expect, test, vi } from 'vitest';
import { toCall, toResult } from '../../test/sample-call.ts';
import type { EnvelopeKind, FrozenSnapshot } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import { createChains, type Guard, inspect, needsReading } from './guard.ts';

const call = toCall({ body: { text: 'secret-value' } });
const deny = (reason: string): Verdict => ({ kind: 'deny', reason, code: 'denied' });
const rewrite = (value: JsonObject): Verdict => ({ kind: 'rewrite', value, reason: 'cleaned' });
const guard = (name: string, judge: Guard['judge']): Guard => ({ name, kinds: ['call'], judge });

afterEach(() => vi.useRealTimers());

describe('the outer door', () => {
  test('allows when nobody objects, without a promise', () => {
    const decision = inspect([guard('a', () => ALLOW), guard('c', () => ({ kind: 'allow' }))], call);
    expect(decision).toEqual({ verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined });
  });

  test.each([
    ['deny', deny('no')],
    ['ask', { kind: 'ask', reason: 'sure?' } as const],
  ])('the first %s wins and nobody after it is asked', (_, verdict) => {
    const after = vi.fn(() => ALLOW);
    const decision = inspect([guard('a', () => ALLOW), guard('b', () => verdict), guard('c', after)], call);
    expect(decision).toMatchObject({ verdict, guard: 'b' });
    expect(after).not.toHaveBeenCalled();
  });

  test.each([
    ['at once', (verdict: Verdict) => verdict],
    ['later', (verdict: Verdict) => Promise.resolve(verdict)],
  ])('rewrites chain when they come %s: the next guard sees the rewritten value', async (_, when) => {
    const seen: unknown[] = [];
    const decision = await inspect(
      [
        guard('a', () => when(rewrite({ text: 'one' }))),
        guard('b', (at) => {
          seen.push(at.body);
          return when(rewrite({ text: 'two' }));
        }),
        guard('c', (at) => {
          seen.push(at.body);
          return when(ALLOW);
        }),
      ],
      call,
    );
    expect(seen).toEqual([{ text: 'one' }, { text: 'two' }]);
    expect(decision).toMatchObject({ guard: 'b', verdict: { kind: 'rewrite' }, rewritten: { text: 'two' } });
    expect(call.body).toEqual({ text: 'secret-value' });
  });

  test('what was rewritten before an ask is kept: the person approves the rewritten call', () => {
    const decision = inspect(
      [guard('a', () => rewrite({ text: 'one' })), guard('b', () => ({ kind: 'ask', reason: 'sure?' }))],
      call,
    );
    expect(decision).toMatchObject({ guard: 'b', verdict: { kind: 'ask' }, rewritten: { text: 'one' } });
  });
});

const broken =
  (answer: unknown): Guard['judge'] =>
  () =>
    answer as Verdict;
const attacks: [string, Guard['judge']][] = [
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
    const decision = await inspect([guard('broken', request), guard('after', after)], call);
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

  test('what is too large to be looked at is refused with what to do instead', async () => {
    const tooLarge = () => Promise.reject(new FaultError('too_large', 'It holds too much. Split it.'));
    const outer = await inspect([guard('reader', tooLarge)], call);
    expect(outer.verdict).toMatchObject({
      kind: 'deny',
      reason: 'The call was not made. It holds too much. Split it.',
    });
    const inner = await inspect([{ name: 'reader', kinds: ['result'], judge: tooLarge }], toResult(call, {}));
    expect(inner.verdict).toMatchObject({
      kind: 'deny',
      reason: expect.stringMatching(/^The result of the call is withheld\. It holds too much\. The call ran/),
    });
  });

  test('a door says whether the call ran, and only the outer one says to try again', async () => {
    const late = () => Promise.reject(new FaultError('overloaded', 'The disk is full. Try again later.'));
    const outer = await inspect([guard('store', late)], call);
    expect(outer.verdict).toHaveProperty(
      'reason',
      'The guard "store" failed, so the call was not made. The disk is full. Try again; if it fails again, ask the operator to look into the log.',
    );
    for (const result of [late, () => ({ kind: 'perhaps' }) as never]) {
      const inner = await inspect([{ name: 'store', kinds: ['result'], judge: result }], toResult(call, {}));
      expect(inner.verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('The call ran') });
      expect(JSON.stringify(inner.verdict)).not.toMatch(/[Tt]ry again|not made/);
    }
  });

  test('one that never answers, after two seconds', async () => {
    vi.useFakeTimers();
    const pending = inspect([guard('slow', () => new Promise(() => {}))], call);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await pending).toMatchObject({ guard: 'slow', verdict: { kind: 'deny' } });
  });

  test('one that rejects after its deadline disturbs nobody', async () => {
    vi.useFakeTimers();
    const late = new Promise<Verdict>((_, reject) => setTimeout(() => reject(new Error('late')), 3_000));
    const pending = inspect([guard('late', () => late)], call);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await pending).toMatchObject({ guard: 'late', verdict: { kind: 'deny' } });
  });

  test('a guard after one that took its time is held to the same', async () => {
    const decision = await inspect(
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
  const reads = (name: string, judge: Guard['judge']): Guard => ({ name, kinds: ['result'], reads: () => true, judge });

  test('chains rewrites and stops at a deny', () => {
    const marked = inspect(
      [reads('a', () => rewrite({ n: 1 })), reads('b', ({ body }) => rewrite({ ...body, m: 2 }))],
      toResult(call, result),
    );
    expect(marked).toMatchObject({ guard: 'b', rewritten: { n: 1, m: 2 } });
    expect(inspect([reads('a', () => deny('no'))], toResult(call, result))).toMatchObject({
      verdict: deny('no'),
      guard: 'a',
    });
  });

  test('asks only the guards that read this result', () => {
    const unread = vi.fn(() => deny('no'));
    expect(
      inspect([{ name: 'a', kinds: ['result'], reads: () => false, judge: unread }], toResult(call, result)),
    ).toMatchObject({
      verdict: ALLOW,
    });
    expect(unread).not.toHaveBeenCalled();
  });

  const failing: Guard = {
    ...reads('a', () => ALLOW),
    reads: () => {
      throw new Error('x');
    },
  };

  test.each<[string, Guard, boolean]>([
    ['says no', { ...reads('a', () => ALLOW), reads: () => false }, false],
    ['says yes', reads('a', () => ALLOW), true],
    ['does not say', { name: 'a', kinds: ['result'], judge: () => ALLOW }, true],
    ['fails while saying', failing, true],
  ])('a guard that %s: the result is read accordingly', (_, one, expected) => {
    expect(needsReading([one], call)).toBe(expected);
  });

  test('a guard that fails while saying whether it reads, denies', () => {
    expect(inspect([failing], toResult(call, result))).toMatchObject({ guard: 'a', verdict: { kind: 'deny' } });
  });
});

describe('chains', () => {
  const snapshot = { version: 1 };
  const other = { version: 2 };
  const all: Guard[] = [
    { ...guard('a', () => ALLOW), kinds: ['call', 'read'] },
    { ...guard('off', () => ALLOW), isOn: ({ version }) => version === 2 },
    { ...guard('last', () => ALLOW), kinds: ['read'], isLast: true },
  ];

  test('hold the guards of a kind that are on in a snapshot, in their order, worked out once', () => {
    const chains = createChains(all);
    const names = (kind: EnvelopeKind, of: FrozenSnapshot) => chains(kind, of).guards.map(({ name }) => name);
    expect(names('call', snapshot)).toEqual(['a']);
    expect(names('call', other)).toEqual(['a', 'off']);
    expect(names('read', snapshot)).toEqual(['a']);
    expect(names('result', snapshot)).toEqual([]);
    expect(chains('read', snapshot).last.map(({ name }) => name)).toEqual(['last']);
    expect(chains('call', snapshot)).toBe(chains('call', snapshot));
  });
});
