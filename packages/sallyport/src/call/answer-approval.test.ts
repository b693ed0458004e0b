import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import type { Approval, PersonAnswer } from '../guard/approve/approval.ts';
import { answerApproval } from './answer-approval.ts';

const WAITING = {
  ...{ id: 'ap_1', callId: 'c1', upstream: 'bank', tool: 'pay', principal: 'key:1', arguments: { to: 'ann' } },
  ...{ state: 'waiting', expiresAt: 10, callerMayAnswer: true, answers: [], needed: 1, reasons: [], classes: [] },
} as unknown as Approval;
const BY = { by: 'key:2', person: 'bob', via: 'api', at: 1 } as const;
const YES: PersonAnswer = { ...BY, kind: 'allow', scope: 'once' };

function open(given: { approval?: Approval | undefined; fails?: 'note' | 'answer' } = { approval: WAITING }) {
  const steps: unknown[] = [];
  const fault = new FaultError('conflict', 'somebody was faster');
  const ports: Parameters<typeof answerApproval>[0] = {
    note: async (event, members) => {
      steps.push([event, members]);
      if (given.fails === 'note') throw new FaultError('unrecorded', 'full');
    },
    approvals: {
      get: async () => given.approval,
      answer: async (id) => {
        steps.push(['answered', id]);
        if (given.fails === 'answer') throw fault;
        return WAITING;
      },
    },
  };
  return { steps, answer: (one: PersonAnswer) => answerApproval(ports, 'ap_1', one) };
}

const RECORD = {
  ...{ approval: 'ap_1', callId: 'c1', upstream: 'bank', tool: 'pay', by: 'key:2', person: 'bob', via: 'api' },
};

describe('a person’s answer', () => {
  test('is recorded first, then done', async () => {
    const { steps, answer } = open();
    expect(await answer(YES)).toBe(WAITING);
    const said = { answer: 'allow', scope: 'once', pattern: false, changedArguments: false };
    expect(steps).toEqual([
      ['approval_answer', { ...RECORD, ...said }],
      ['answered', 'ap_1'],
    ]);
  });

  test('leaves its values out of the record', async () => {
    const { steps, answer } = open();
    await answer({ ...YES, arguments: { to: 'eve' } });
    await answer({ ...YES, scope: 'always', pattern: { to: 'a*' } });
    await answer({ ...BY, person: undefined, kind: 'deny', message: 'private words' });
    const { person, ...nameless } = RECORD;
    expect(steps.filter((_, i) => i % 2 === 0)).toEqual([
      ['approval_answer', { ...RECORD, answer: 'allow', scope: 'once', pattern: false, changedArguments: true }],
      ['approval_answer', { ...RECORD, answer: 'allow', scope: 'always', pattern: true, changedArguments: false }],
      ['approval_answer', { ...nameless, answer: 'deny' }],
    ]);
    expect(person).toBe('bob');
  });

  test('that cannot be recorded is not done', async () => {
    const { steps, answer } = open({ approval: WAITING, fails: 'note' });
    await expect(answer(YES)).rejects.toMatchObject({ code: 'unrecorded' });
    expect(steps).toHaveLength(1);
  });

  test('that another was faster than is recorded as having failed', async () => {
    const { steps, answer } = open({ approval: WAITING, fails: 'answer' });
    await expect(answer(YES)).rejects.toMatchObject({ code: 'conflict' });
    expect(steps.at(-1)).toEqual(['approval_answer_failed', { approval: 'ap_1', by: 'key:2', reason: 'conflict' }]);
  });

  test.each<[string, Parameters<typeof open>[0], PersonAnswer, string]>([
    ['to what is not there', { approval: undefined }, YES, 'not_found'],
    ['that comes too late', { approval: WAITING }, { ...YES, at: 10 }, 'conflict'],
    [
      'of its caller, who may not',
      { approval: { ...WAITING, callerMayAnswer: false } },
      { ...YES, by: 'key:1' },
      'forbidden',
    ],
    [
      'with a secret that would be stored',
      { approval: WAITING },
      { ...YES, arguments: { to: `ghp_${'a1B2'.repeat(9)}` } },
      'invalid_params',
    ],
  ])('%s is neither recorded nor done', async (_, given, one, code) => {
    const { steps, answer } = open(given);
    await expect(answer(one)).rejects.toMatchObject({ code });
    expect(steps).toEqual([]);
  });
});
