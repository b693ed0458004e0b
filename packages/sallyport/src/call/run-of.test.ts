import { describe, expect, test } from 'vitest';
import { toDeclaration } from '../core/client.ts';
import { Request } from '../core/message.ts';
import { KEY_HOLDER, type Principal } from '../core/principal.ts';
import type { Inbound } from './inbound.ts';
import { readRun } from './run-of.ts';

function inbound(meta: Record<string, unknown> | undefined, principal: Principal = KEY_HOLDER): Inbound {
  const params = { name: 'a', arguments: { n: 1 }, ...(meta === undefined ? {} : { _meta: meta as never }) };
  const client = { key: 'session-1', principal, info: { name: 't', version: '1' }, ...toDeclaration('modern', {}) };
  return { request: Request.of('1', 'tools/call', params), exchange: { client } } as unknown as Inbound;
}
const RUN = 'dev.sallyport/run';
const USER = 'dev.sallyport/user';

test('without a word of the client the session is the run, and nothing is made anew', () => {
  for (const meta of [undefined, {}, { progressToken: 1 }]) {
    const given = inbound(meta);
    expect(readRun(given)).toMatchObject({ run: 'session-1', user: undefined });
    expect(readRun(given).inbound).toBe(given);
  }
});

describe('a run that the client names', () => {
  const runOf = (id: string, principal?: Principal) => readRun(inbound({ [RUN]: id }, principal)).run;
  test('is one run over connections, and nobody else’s', () => {
    expect(runOf('task-1')).toBe(runOf('task-1'));
    const all = [
      runOf('task-1'),
      runOf('task-2'),
      runOf('task-1', { ...KEY_HOLDER, id: 'key:b' }),
      runOf('task-1', { ...KEY_HOLDER, agent: 'b' }),
      runOf('local', { ...KEY_HOLDER, id: 'task-1' }),
      'session-1',
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test.each([[''], ['two words'], ['a\nb'], ['x'.repeat(129)], [7], [null], [{}]])('%j is none', (id) => {
    expect(() => readRun(inbound({ [RUN]: id }))).toThrow(expect.objectContaining({ code: 'invalid_params' }));
  });
});

test('what is for Sallyport goes no further, and everything else does', () => {
  const given = inbound({ a: 1, [USER]: 'Pay "Ann" 5 €', [RUN]: 'r', b: { c: 2 } });
  const { user, inbound: own } = readRun(given);
  expect(user).toBe('Pay "Ann" 5 €');
  expect(own.request.params).toEqual({ name: 'a', arguments: { n: 1 }, _meta: { a: 1, b: { c: 2 } } });
});

test.each([[7], [null], [['a']], ['x'.repeat(16_385)]])('%j is no text of a user', (user) => {
  expect(() => readRun(inbound({ [USER]: user }))).toThrow(expect.objectContaining({ code: 'invalid_params' }));
});
