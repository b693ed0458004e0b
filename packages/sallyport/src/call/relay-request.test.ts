import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import type { ServerAccess } from '../config/access-settings.ts';
import type { Snapshot } from '../config/settings.ts';
import { silentLog } from '../core/log.ts';
import { Answer } from '../core/message.ts';
import { ANYONE, type Principal } from '../core/principal.ts';
import type { Guard } from '../guard/guard.ts';
import { callTool } from './call-tool.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { mayNotify, relayTaskRequest, relayUnknown } from './relay-request.ts';
import { TaskOwners } from './task-owners.ts';

const ALICE: Principal = { ...ANYONE, id: 'key:alice' };
const BOB: Principal = { ...ANYONE, id: 'key:bob' };
const STARTED = () => Answer.result('1', { task: { taskId: 't9', status: 'working' } });

const start = (ports: CallPorts, principal: Principal) =>
  callTool(ports, toInbound('tools/call', { name: 'web_echo', arguments: {} }, principal));
const ask = (ports: CallPorts, principal: Principal, method = 'tasks/get') =>
  relayTaskRequest(ports, toInbound(method, { taskId: 't9' }, principal));

describe('a task that a call started', () => {
  test.each([
    ['tasks/get', 'missing_capability'],
    ['tasks/result', 'method_not_found'],
    ['tasks/cancel', 'missing_capability'],
  ])('is there in %s for its caller alone', async (method, code) => {
    const { ports, steps } = openRelay([], { answer: STARTED });
    await start(ports, ALICE);
    steps.length = 0;
    await expect(ask(ports, BOB, method)).rejects.toMatchObject({ code });
    expect(steps).toEqual(['failed']);
    await ask(ports, ALICE, method);
    expect(steps).toEqual(['failed', 'recorded', 'sent', 'ok']);
  });

  test('is nobody’s when its answer is withheld', async () => {
    const withholds: Guard = {
      ...{ name: 'test', kinds: ['result'] },
      judge: () => ({ kind: 'deny', code: 'denied', reason: 'no' }),
    };
    const { ports, steps } = openRelay([withholds], { answer: STARTED });
    expect((await start(ports, ALICE)).result).toMatchObject({ isError: true });
    steps.length = 0;
    await expect(ask(ports, ALICE)).rejects.toMatchObject({ code: 'missing_capability' });
    expect(steps).toEqual(['failed']);
  });

  test('is reported to its caller once every process knows whose it is', async () => {
    const steps: string[] = [];
    let stored = (): void => {};
    const put = () => new Promise<void>((resolve) => (stored = resolve)).then(() => void steps.push('stored'));
    const store = async () => ({ put, find: async () => new Map() });
    const { ports } = openRelay([], { answer: STARTED, taskOwners: new TaskOwners({ store, log: silentLog }) });
    const answering = start(ports, ALICE).then(() => steps.push('answered'));
    await new Promise(setImmediate);
    stored();
    await answering;
    expect(steps).toEqual(['stored', 'answered']);
  });

  test('is in the list of its caller alone', async () => {
    const tasks = [{ taskId: 't9' }];
    const { ports } = openRelay([], {
      answer: () => Answer.result('1', { tasks, task: { taskId: 't9' } }),
    });
    await start(ports, ALICE);
    const list = (principal: Principal) => relayUnknown(ports, onWeb(toInbound('tasks/list', {}, principal)));
    expect((await list(BOB)).result?.['tasks']).toEqual([]);
    expect((await list(ALICE)).result?.['tasks']).toEqual(tasks);
  });
});

describe('a task that is not known', () => {
  const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  test.each([
    ['modern', TASKS, 'tasks/get', 'invalid_params', 'Unknown task: t9.'],
    ['modern', TASKS, 'tasks/result', 'method_not_found', 'Method not found: tasks/result'],
    ['modern', {}, 'tasks/get', 'missing_capability', 'tasks/get needs the client capability'],
    ['legacy', {}, 'tasks/result', 'invalid_params', 'Unknown task: t9.'],
  ] as const)('is answered for a %s client with %j in %s by %s', async (era, capabilities, method, code, message) => {
    const inbound = toInbound(method, { taskId: 't9' });
    Object.assign(inbound.exchange.client, { era, capabilities });
    await expect(relayTaskRequest(openRelay([]).ports, inbound)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('may be one without an id', async () => {
    const inbound = toInbound('tasks/get', { taskId: 7 });
    Object.assign(inbound.exchange.client, { era: 'legacy' });
    await expect(relayTaskRequest(openRelay([]).ports, inbound)).rejects.toThrow('Unknown task: 7.');
  });
});

const NONE = { tools: undefined, resources: undefined, prompts: undefined };
const NOBODY = { tools: [], resources: [], prompts: [] };

function under(access: object, given: Inbound = toInbound('x/y', {})): Inbound {
  const servers = new Map([['web', { access: { allow: NONE, deny: NOBODY, ...access } as unknown as ServerAccess }]]);
  return { ...onWeb(given), snapshot: { version: 3, servers } as unknown as Snapshot };
}

function onWeb(inbound: Inbound): Inbound {
  return { ...inbound, endpoint: { kind: 'server', name: 'web' } };
}

/** Where an unknown method, whose effect nobody can tell, goes and does not go. */
const REACHES: readonly [string, Inbound, boolean, boolean][] = [
  ['the endpoint of one server', under({}), false, true],
  ['a server without rules of access', onWeb(toInbound('x/y', {})), false, true],
  ['the shared endpoint', toInbound('x/y', {}), false, false],
  ['a server with an allow list', under({ allow: { ...NONE, tools: [] } }), false, false],
  ['a server with a deny list', under({ deny: { ...NOBODY, prompts: ['a'] } }), false, false],
  ['policies in force', under({}), true, false],
];

describe.each(REACHES)('at %s', (_, inbound, areEnforced, isReached) => {
  const { ports, steps } = openRelay([], { offers: { areEnforced: () => areEnforced, noteHidden: () => undefined } });

  test('a request of an unknown method', async () => {
    steps.length = 0;
    const asking = relayUnknown(ports, inbound);
    if (isReached) await asking;
    else await expect(asking).rejects.toMatchObject({ code: 'method_not_found', message: 'Method not found: x/y' });
    expect(steps).toEqual(isReached ? ['recorded', 'sent', 'ok'] : []);
  });

  test('a notification of a vendor goes where its request goes', () => {
    expect(mayNotify(ports, 'x/told', inbound)).toBe(isReached);
  });

  test('a notification of the protocol is passed on', () => {
    expect(mayNotify(ports, 'notifications/progress', inbound)).toBe(true);
  });

  test.each(['tools/call', 'initialize', 'tasks/cancel', 'server/discover', 'x', 'elicitation/create\n'])(
    'a request of the protocol without an id is not: %j',
    (method) => {
      expect(mayNotify(ports, method, inbound)).toBe(false);
    },
  );
});

test('a caller may list its own tasks whatever policies say', async () => {
  const { ports, steps } = openRelay([], { offers: { areEnforced: () => true, noteHidden: () => undefined } });
  await relayUnknown(ports, under({}, toInbound('tasks/list', {})));
  expect(steps).toEqual(['recorded', 'sent', 'ok']);
});
