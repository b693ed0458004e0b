import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Decision } from '../guard/guard.ts';
import { isRefused, toRefusal } from './refusal.ts';

const DENY: Verdict = { kind: 'deny', code: 'denied', reason: 'It is not allowed.' };
const ASK: Verdict = { kind: 'ask', reason: 'A person has to look.' };
const decided = (verdict: Verdict): Decision => ({ verdict, guard: 'secrets', rewritten: undefined, cause: undefined });
const request = { id: '"seven"' };
const thrownBy = (work: () => unknown): FaultError => {
  try {
    work();
  } catch (error) {
    if (error instanceof FaultError) return error;
  }
  throw new Error('no fault was thrown');
};

describe('a refused call of a tool', () => {
  test('is a result that the model reads, with the verdict for programs', () => {
    const answer = toRefusal(decided(ASK), { request, kind: 'call', approvalId: 'ap_1' });
    expect(JSON.parse(answer.bytes.toString())).toEqual({
      jsonrpc: '2.0',
      id: 'seven',
      result: {
        content: [{ type: 'text', text: 'A person has to look.' }],
        isError: true,
        _meta: {
          'dev.sallyport/verdict': {
            ...{ kind: 'ask', code: 'denied', guard: 'secrets', reason: 'A person has to look.', approval: 'ap_1' },
          },
        },
      },
    });
  });

  test('says of a result that the server did what was asked, and where the result is', () => {
    const { outcome } = toRefusal(decided(DENY), { request, kind: 'result', isAnswered: true, keptId: 'kr_1' });
    expect(outcome).toMatchObject({
      result: { _meta: { 'dev.sallyport/verdict': { kind: 'deny', outcome: 'withheld', result: 'kr_1' } } },
    });
  });
});

describe('a refusal of another kind', () => {
  test.each(['read', 'prompt', 'completion', 'task', 'contents', 'error'] as const)('%s: an error', (kind) => {
    const fault = thrownBy(() => toRefusal(decided(DENY), { request, kind }));
    expect([fault.code, fault.message, isRefused(fault)]).toEqual(['denied', 'It is not allowed.', 'secrets']);
  });

  test('keeps the code of a limit, so that the client waits', () => {
    const verdict: Verdict = { kind: 'deny', code: 'too_many', reason: 'Wait.' };
    expect(thrownBy(() => toRefusal(decided(verdict), { request, kind: 'read' })).code).toBe('too_many');
  });

  test('says where nobody can be asked that it is refused', () => {
    const { message, data } = thrownBy(() => toRefusal(decided(ASK), { request, kind: 'prompt' }));
    expect(message).toBe('A person has to look. Only a call of a tool can wait for a person, so it is refused.');
    expect(data).toMatchObject({ 'dev.sallyport/verdict': { kind: 'deny' } });
  });
});

test('what was allowed is no refusal', () => {
  expect(() => toRefusal(decided({ kind: 'allow' }), { request, kind: 'call' })).toThrow(TypeError);
});

test('a fault of another origin was refused by no guard', () => {
  expect(isRefused(new FaultError('denied', 'no'))).toBeUndefined();
  expect(
    isRefused(new FaultError('denied', 'no', { data: { 'dev.sallyport/verdict': { guard: 1 } } })),
  ).toBeUndefined();
});
