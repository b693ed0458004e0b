import { describe, expect, test } from 'vitest';
import { type Approval, applyAnswer, NO_RUN, type PersonAnswer, toDenialText } from './approval.ts';
import { compareArguments } from './compare-arguments.ts';
import { toDigest } from './digest.ts';
import { coversCall, type Grant, toGrant } from './grant.ts';

const given = { path: '/a', n: 1 };
const approval = (more: Partial<Approval> = {}): Approval => ({
  id: 'ap_1',
  state: 'waiting',
  createdAt: 0,
  updatedAt: 0,
  expiresAt: 1_000,
  needed: 1,
  callerMayAnswer: true,
  answers: [],
  difference: undefined,
  callId: 'c',
  run: 'r',
  principal: 'key:alice',
  client: 'test',
  upstream: 'u',
  tool: 't',
  toolDigest: 'd',
  arguments: given,
  argumentsDigest: toDigest(given),
  policyVersion: 'v',
  reasons: [{ guard: 'policy', reason: 'because' }],
  classes: ['delete'],
  ...more,
});
const allow = (more: Record<string, unknown> = {}): PersonAnswer =>
  ({ kind: 'allow', scope: 'once', by: 'key:bob', via: 'command', at: 1, ...more }) as PersonAnswer;
const deny = (more: Record<string, unknown> = {}): PersonAnswer =>
  ({ kind: 'deny', by: 'key:bob', via: 'command', at: 1, ...more }) as PersonAnswer;

describe('one answer', () => {
  test.each<[string, Partial<Approval>, PersonAnswer, string]>([
    ['a yes', {}, allow(), 'allowed'],
    ['a no', {}, deny(), 'denied'],
    ['the yes of the caller', {}, allow({ by: 'key:alice' }), 'allowed'],
    ['a no of the caller who may not say yes', { callerMayAnswer: false }, deny({ by: 'key:alice' }), 'denied'],
    ['one yes of two', { needed: 2 }, allow(), 'waiting'],
    ['one no of two', { needed: 2 }, deny(), 'denied'],
    ['one person with other arguments', { needed: 2, answers: [allow()] }, allow({ arguments: { n: 2 } }), 'waiting'],
    ['a no after the own yes', { needed: 2, answers: [allow()] }, deny(), 'denied'],
    [
      'two people with a key each',
      { needed: 2, answers: [allow({ person: 'bob' })] },
      allow({ by: 'key:carol', person: 'carol' }),
      'allowed',
    ],
    ['two people', { needed: 2, answers: [allow()] }, allow({ by: 'key:carol' }), 'allowed'],
    [
      'two people, two sets of arguments',
      { needed: 2, answers: [allow()] },
      allow({ by: 'key:carol', arguments: { n: 2 } }),
      'waiting',
    ],
    ['a pattern', {}, allow({ scope: 'always', pattern: { path: '/*', n: 1 } }), 'allowed'],
    ['another person, where the caller may not', { callerMayAnswer: false }, allow({ by: 'key:bob' }), 'allowed'],
    [
      'the owner of the machine for a key, where the caller may not',
      { callerMayAnswer: false },
      allow({ by: 'os:root' }),
      'allowed',
    ],
    [
      'a key for the owner of the machine',
      { callerMayAnswer: false, principal: 'local' },
      allow({ by: 'key:bob' }),
      'allowed',
    ],
    [
      'the owner of the machine for himself, where the caller may',
      { principal: 'local' },
      allow({ by: 'os:root' }),
      'allowed',
    ],
  ])('%s', (_, more, answer, state) => {
    expect(applyAnswer(approval(more), answer).state).toBe(state);
  });

  test.each<[string, Partial<Approval>, PersonAnswer, string]>([
    ['answered already', { state: 'allowed' }, allow(), 'conflict'],
    ['expired already', { state: 'expired' }, allow(), 'conflict'],
    ['too late to the millisecond', {}, allow({ at: 1_000 }), 'conflict'],
    ['the caller, where it may not', { callerMayAnswer: false }, allow({ by: 'key:alice' }), 'forbidden'],
    ['the same person twice', { needed: 2, answers: [allow()] }, allow({ at: 2 }), 'forbidden'],
    [
      'the same person with another key',
      { needed: 2, answers: [allow({ person: 'bob' })] },
      allow({ by: 'key:bob2', person: 'bob' }),
      'forbidden',
    ],
    [
      'the owner of the machine at the terminal and with the laptop key',
      { needed: 2, answers: [allow({ by: 'os:bob' })] },
      allow({ by: 'local' }),
      'forbidden',
    ],
    [
      'the person of the caller with another key, where the caller may not',
      { callerMayAnswer: false, person: 'alice' },
      allow({ by: 'key:alice2', person: 'alice' }),
      'forbidden',
    ],
    ...(['local', 'stdio', 'os:ann'] as const).flatMap((principal) =>
      ['local', 'os:ann', 'os:root']
        .filter((by) => by !== principal)
        .map((by): [string, Partial<Approval>, PersonAnswer, string] => [
          `the owner of the machine, ${by} for ${principal}, where the caller may not`,
          { callerMayAnswer: false, principal },
          allow({ by }),
          'forbidden',
        ]),
    ),
    ['a pattern for once', {}, allow({ pattern: 'any' }), 'invalid_params'],
    [
      'a pattern for a run that nobody named',
      { run: NO_RUN },
      allow({ scope: 'run', pattern: 'any' }),
      'invalid_params',
    ],
    ['a pattern that does not cover the call', {}, allow({ scope: 'run', pattern: { path: '/b' } }), 'invalid_params'],
    ['changed arguments for ever', {}, allow({ scope: 'always', arguments: { n: 2 } }), 'invalid_params'],
    ['an endless message', {}, deny({ message: 'x'.repeat(2_001) }), 'invalid_params'],
  ])('%s is refused', (_, more, answer, code) => {
    expect(() => applyAnswer(approval(more), answer)).toThrow(expect.objectContaining({ code }));
  });

  test('two people get the narrower of what they allowed', () => {
    const first = allow({ scope: 'always', pattern: 'any' });
    const { grant } = applyAnswer(approval({ needed: 2, answers: [first] }), allow({ by: 'key:carol', scope: 'run' }));
    expect(grant).toEqual({ scope: 'run', pattern: undefined, arguments: undefined });
  });

  test('for a run that nobody named is for once', () => {
    const first = allow({ scope: 'always', pattern: 'any' });
    for (const more of [{}, { needed: 2, answers: [first] } as const]) {
      const yes = applyAnswer(approval({ run: NO_RUN, ...more }), allow({ by: 'key:carol', scope: 'run' }));
      expect(yes.answers.at(-1)).toMatchObject({ scope: 'once' });
      expect(yes.grant).toEqual({ scope: 'once', pattern: undefined, arguments: undefined });
    }
    expect(applyAnswer(approval({ run: NO_RUN }), allow({ scope: 'always' })).grant).toMatchObject({ scope: 'always' });
    expect(applyAnswer(approval(), allow({ scope: 'run' })).grant).toMatchObject({ scope: 'run' });
  });

  test('a no says what the person said', () => {
    expect(toDenialText(approval({ answers: [deny({ message: 'not on Fridays' })] }))).toContain(
      'A person denied this call: not on Fridays. Do not make it again as it is',
    );
  });
});

describe('a grant covers', () => {
  const grant = (more: Partial<Grant> = {}): Grant => ({
    ...toGrant(approval(), { scope: 'once', pattern: undefined, arguments: undefined }, { id: 'g', now: 0 }),
    ...more,
  });

  test('the call it was made for', () => expect(coversCall(grant(), approval(), 10)).toBe(true));
  test('any arguments of its pattern', () =>
    expect(
      coversCall(grant({ pattern: { path: '/*', n: 1 } }), approval({ arguments: { path: '/z', n: 1 } }), 10),
    ).toBe(true));

  test.each<[string, Partial<Grant>, Partial<Approval>, number]>([
    ['another caller', {}, { principal: 'key:eve' }, 10],
    ['another server', {}, { upstream: 'w' }, 10],
    ['another tool', {}, { tool: 'x' }, 10],
    ['a tool whose definition changed', {}, { toolDigest: 'e' }, 10],
    ['other arguments', {}, { argumentsDigest: toDigest({}) }, 10],
    ['other rules', {}, { policyVersion: 'w' }, 10],
    ['another guard', {}, { reasons: [{ guard: 'taint', reason: 'because' }] }, 10],
    [
      'a further guard',
      {},
      {
        reasons: [
          { guard: 'policy', reason: '' },
          { guard: 'taint', reason: '' },
        ],
      },
      10,
    ],
    ['a further person', {}, { needed: 2 }, 10],
    ['a further effect', {}, { classes: ['delete', 'pay'] }, 10],
    ['another run', { scope: 'run' }, { run: 's' }, 10],
    ['a run that nobody named', { scope: 'run', run: NO_RUN }, { run: NO_RUN }, 10],
    ['after its time', { expiresAt: 10 }, {}, 10],
    ['once used', { usedAt: 1 }, {}, 10],
    ['revoked', { revokedAt: 1 }, {}, 10],
  ])('not: %s', (_, ofGrant, asked, now) => {
    expect(coversCall(grant(ofGrant), approval(asked), now)).toBe(false);
  });
});

describe('a standing grant, after untrusted content was read', () => {
  const mail = { to: 'jo@team.example', body: 'The summary.' };
  const granted = (more: Partial<Grant> = {}): Grant => ({
    ...toGrant(
      approval({
        arguments: mail,
        argumentsDigest: toDigest(mail),
        reasons: [{ guard: 'asks', reason: '' }],
        classes: [],
      }),
      { scope: 'run', pattern: undefined, arguments: undefined },
      { id: 'g', now: 0 },
    ),
    ...more,
  });
  const asked = (given: Record<string, string>, more: Partial<Approval> = {}) =>
    approval({
      arguments: given,
      argumentsDigest: toDigest(given),
      reasons: [
        { guard: 'taint', reason: '', untrusted: true },
        { guard: 'asks', reason: '' },
      ],
      classes: ['send_out'],
      ...more,
    });
  const pattern = (given: Record<string, string>) => granted({ pattern: given });

  test.each<[string, Grant, Approval]>([
    ['the same call, for this run', granted(), asked(mail)],
    ['the same call, for good', granted({ scope: 'always' }), asked(mail)],
    ['the recipient by name, any text', pattern({ to: mail.to, body: '**' }), asked({ to: mail.to, body: 'Other.' })],
    ['a folder by name', pattern({ path: '/reports/**' }), asked({ path: '/reports/q2.txt' })],
    ['a host by name', pattern({ url: 'https://api.team.example/*' }), asked({ url: 'https://api.team.example/a' })],
  ])('covers %s', (_, grant, call) => expect(coversCall(grant, call, 10)).toBe(true));

  test.each<[string, Grant, Approval]>([
    ['the same call in another run', granted(), asked(mail, { run: 's' })],
    ['another recipient', granted(), asked({ ...mail, to: 'eve@else.example' })],
    ['anything', granted({ pattern: 'any' }), asked(mail)],
    ['any recipient', pattern({ to: '**', body: mail.body }), asked({ ...mail, to: 'eve@else.example' })],
    ['any mailbox of a host', pattern({ to: 'jo@*', body: '**' }), asked({ ...mail, to: 'jo@else.example' })],
    ['any host', pattern({ url: 'https://**' }), asked({ url: 'https://else.example/a' })],
    ['any program', pattern({ body: '**' }), asked({ body: 'rm' }, { classes: ['run_code'] })],
    [
      'private data in the text',
      pattern({ to: mail.to, body: '**' }),
      asked({ to: mail.to, body: 'Key.' }, { reasons: [{ guard: 'taint', reason: '' }] }),
    ],
    ['the same call with a further guard', granted(), asked(mail, { reasons: [{ guard: 'policy', reason: '' }] })],
  ])('does not cover %s', (_, grant, call) => expect(coversCall(grant, call, 10)).toBe(false));
});

test('the order of keys is no difference; every value is', () => {
  expect(toDigest({ a: 1, b: { c: 2, d: 3 } })).toBe(toDigest({ b: { d: 3, c: 2 }, a: 1 }));
  expect(toDigest({ a: 1 })).not.toBe(toDigest({ a: '1' }));
  expect(toDigest({ a: [1, 2] })).not.toBe(toDigest({ a: [2, 1] }));
  expect(toDigest({ __proto__x: 1 })).not.toBe(toDigest({}));
  expect(toDigest(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(toDigest({}));
});

test('differences are named by their place', () => {
  expect(compareArguments({ a: 1, b: { c: [1] } }, { b: { c: [2] }, 'd/e': null })).toEqual([
    { path: '/a', before: 1 },
    { path: '/b/c', before: [1], after: [2] },
    { path: '/d~1e', after: null },
  ]);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i]));
  expect(compareArguments({}, many)).toHaveLength(100);
});
