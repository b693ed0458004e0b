import { expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import type { Envelope } from '../core/envelope.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import { collectAsks } from './collect-asks.ts';

const call = toCall({ body: { n: 1 } });
const says = (name: string, verdict: Verdict | ((call: Envelope) => Verdict)): Guard => ({
  name,
  kinds: ['call'],
  judge: (given) => (typeof verdict === 'function' ? verdict(given) : verdict),
});
const ask = (reason: string, ...classes: ('pay' | 'delete')[]): Verdict => ({ kind: 'ask', reason, classes });
const deny: Verdict = { kind: 'deny', code: 'denied', reason: 'no' };

test('a person hears every guard that asks, and no guard twice', async () => {
  const guards = [
    says('a', ALLOW),
    says('b', ask('b asks', 'pay')),
    says('c', ALLOW),
    says('d', ask('d asks', 'delete')),
  ];
  const { reasons, classes, decision } = await collectAsks(guards, call);
  expect(decision.verdict.kind).toBe('ask');
  expect(reasons).toEqual([
    { guard: 'b', reason: 'b asks' },
    { guard: 'd', reason: 'd asks' },
  ]);
  expect(classes).toEqual(['pay', 'delete']);
});

test('what is denied anyway is not asked about', async () => {
  const { decision } = await collectAsks([says('a', ask('a asks')), says('b', deny)], call);
  expect(decision).toMatchObject({ verdict: deny, guard: 'b' });
});

test('a guard that fails behind an ask denies', async () => {
  const broken = says('b', () => {
    throw new Error('broken');
  });
  expect((await collectAsks([says('a', ask('a asks')), broken], call)).decision.verdict.kind).toBe('deny');
});

test('the person sees the arguments after all rewrites', async () => {
  const rewrite = (n: number) => says(`r${n}`, { kind: 'rewrite', value: { n }, reason: 'r' });
  const { envelope: seen } = await collectAsks([rewrite(2), says('a', ask('a asks')), rewrite(3)], call);
  expect(seen.body).toEqual({ n: 3 });
});

test('two guards of one name do not ask for ever', async () => {
  const { reasons } = await collectAsks([says('a', ask('1')), says('a', ask('2'))], call);
  expect(reasons.map(({ reason }) => reason)).toEqual(['1', '2']);
});

test('an ask of a guard that is not in the list ends, too', async () => {
  const first = { verdict: ask('x'), guard: 'x', rewritten: undefined, cause: undefined };
  expect((await collectAsks([says('a', ask('a asks'))], call, first)).reasons).toEqual([{ guard: 'x', reason: 'x' }]);
});
