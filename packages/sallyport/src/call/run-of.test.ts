import { describe, expect, test } from 'vitest';
import { toDeclaration } from '../core/client.ts';
import { Notification, Request } from '../core/message.ts';
import { KEY_HOLDER, PARENT_PROCESS, type Principal } from '../core/principal.ts';
import type { Inbound } from './inbound.ts';
import { isOneConversation, readNotificationRun, readRun } from './run-of.ts';

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

test('a text of a user may be long', () => {
  expect(readRun(inbound({ [USER]: 'x'.repeat(16_384) })).user).toHaveLength(16_384);
});

test.each<[string, 'modern' | 'legacy', Principal, boolean, boolean]>([
  ['without sessions', 'modern', KEY_HOLDER, false, false],
  ['without sessions that names its run', 'modern', KEY_HOLDER, true, true],
  ['with a session', 'legacy', KEY_HOLDER, false, true],
  ['on stdio', 'modern', PARENT_PROCESS, false, true],
])('the run of a client %s is one conversation', (_, era, principal, isOwnRun, isOne) => {
  const { client } = inbound(undefined, principal).exchange;
  expect(isOneConversation({ client: { ...client, era }, isOwnRun })).toBe(isOne);
});

describe('a notification', () => {
  const { client } = inbound(undefined).exchange;
  test('belongs to the session, and passes as it came', () => {
    const given = Notification.of('notifications/x', { _meta: { a: 1 } });
    expect(readNotificationRun(client, given)).toEqual({ run: 'session-1', notification: given });
    expect(readNotificationRun(client, given).notification).toBe(given);
  });

  test('belongs to the run that it names, and passes without what is for Sallyport', () => {
    const given = Notification.of('notifications/x', { b: 2, _meta: { a: 1, [RUN]: 'task-1', [USER]: 'pay' } });
    const { run, notification } = readNotificationRun(client, given);
    expect(run).toBe(readRun(inbound({ [RUN]: 'task-1' })).run);
    expect(notification.params).toEqual({ b: 2, _meta: { a: 1 } });
    expect(notification.method).toBe('notifications/x');
  });

  test('that names no run is none of a session', () => {
    const given = Notification.of('notifications/x', { _meta: { [RUN]: '' } });
    expect(() => readNotificationRun(client, given)).toThrow(expect.objectContaining({ code: 'invalid_params' }));
  });
});
