import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ALICE, BOB, openHouse } from '../../test/sample-house.ts';
import { Answer, Notification, Request } from '../core/message.ts';
import { toText } from '../core/response.ts';
import type { UpstreamEvent } from '../core/upstream-port.ts';
import { LegacySession } from './legacy-session.ts';
import { type ModernContext, receiveModern } from './modern-endpoint.ts';
import { Parking } from './parking.ts';
import { createSeal } from './seal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function listen({ ports, sessions }: ReturnType<typeof openHouse>, notifications = {}, principal = ALICE) {
  const said: string[] = [];
  const context: ModernContext = {
    ...{ ports, sessions, principal, header: undefined, endpoint: { kind: 'all' } },
    parking: new Parking(createSeal(Buffer.alloc(32))),
  };
  receiveModern(context, Request.of('1', 'subscriptions/listen', { notifications, _meta: META }), {
    message: (text) => said.push(text),
    answer: (written) => said.push(toText(written)),
  });
  await vi.advanceTimersByTimeAsync(0);
  return said;
}

const updated: UpstreamEvent = {
  ...{ kind: 'resource_updated', upstream: 's', uri: 'x:1' },
  notification: Notification.of('notifications/resources/updated', { uri: 'x:1' }),
  isFor: () => true,
};
const task = (taskId: string): UpstreamEvent => ({
  ...{ kind: 'other', upstream: 's', client: undefined },
  notification: Notification.of('notifications/tasks/status', { taskId, status: 'working' }),
});
const started = (taskId: string) => Answer.result('1', { task: { taskId } });

test('streams that ended with their credential take no place', async () => {
  const house = openHouse();
  for (let i = 0; i < 5; i++) {
    house.world.current = true;
    const said = await listen(house);
    expect(said.join()).toContain('acknowledged');
    house.world.current = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(said.join()).toContain('"resultType":"complete"');
  }
  house.sessions.close();
});

test('what a caller may not see any more it is not told of, on a stream opened before', async () => {
  const house = openHouse();
  const said = await listen(house, { resourceSubscriptions: ['x:1'] });
  house.tell(updated);
  expect(said).toHaveLength(2);
  house.world.groups = ['ops'];
  house.tell(updated);
  expect(said).toHaveLength(2);
  house.world.groups = ['dev'];
  house.tell(updated);
  expect(said).toHaveLength(3);
  // Said by the connection of somebody else, who follows the same.
  house.tell({ ...updated, isFor: ({ principal }) => principal.id === BOB.id });
  expect(said).toHaveLength(3);
  house.sessions.close();
});

test('a task is followed by whoever started it, and by nobody before that', async () => {
  const house = openHouse();
  const early = await listen(house, { taskIds: ['7'] });
  await house.taskOwners.note('s', started('7'), ALICE);
  const alice = await listen(house, { taskIds: ['7'] });
  const bob = await listen(house, { taskIds: ['7'] }, BOB);
  house.tell(task('7'));
  expect([early.length, alice.length, bob.length]).toEqual([1, 2, 1]);
  house.sessions.close();
});

test('nor is it told to the sessions of others, or to any where nobody is known to have started it', async () => {
  const house = openHouse();
  const said = [ALICE, BOB].map((principal) => {
    const request = Request.of('1', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    const session = new LegacySession(house.ports, principal.id, { request, principal, endpoint: { kind: 'all' } });
    const heard: string[] = [];
    session.setOutlet((text) => heard.push(text));
    house.sessions.add(session, 2);
    return heard;
  });
  await house.taskOwners.note('s', started('7'), ALICE);
  house.tell(task('7'));
  house.tell(task('nobody knows whose'));
  expect(said.map(({ length }) => length)).toEqual([1, 0]);
  house.sessions.close();
});

test('the answer of a client comes after the notifications it sent before', async () => {
  const house = openHouse();
  const heard: string[] = [];
  let take = () => {};
  const notify = () => new Promise<void>((resolve) => (take = resolve)).then(() => void heard.push('progress'));
  Object.assign(house.ports.upstreams, { notify });
  const params = { protocolVersion: '2025-11-25', capabilities: { roots: {} } };
  const request = Request.of('1', 'initialize', params);
  const session = new LegacySession(house.ports, 'session', { request, endpoint: { kind: 'all' }, principal: ALICE });
  const reply = { message() {}, answer() {} };
  const answered = session.ask(Request.of('7', 'roots/list'), undefined).then(() => void heard.push('answer'));
  session.receive(Notification.of('notifications/progress', { progressToken: 'p', progress: 1 }), reply);
  session.receive(Answer.result('1', { roots: [] }), reply);
  await vi.advanceTimersByTimeAsync(0);
  expect(heard).toEqual([]);
  take();
  await answered;
  expect(heard).toEqual(['progress', 'answer']);
  house.sessions.close();
});

test('a caller is told of its own list, and not of the list of another', async () => {
  const house = openHouse();
  const said = await listen(house, { toolsListChanged: true });
  const change = { upstream: 's', list: 'tools', profile: '' } as const;
  for (const principal of [BOB.id, ALICE.id]) house.change({ ...change, principal });
  expect(said.filter((text) => text.includes('tools/list_changed'))).toHaveLength(1);
  house.change(change);
  expect(said.filter((text) => text.includes('tools/list_changed'))).toHaveLength(2);
  house.sessions.close();
});
