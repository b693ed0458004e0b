import { describe, expect, test } from 'vitest';
import { ALICE, BOB, openHouse } from '../../test/sample-house.ts';
import { Notification, Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import type { UpstreamEvent } from '../core/upstream-port.ts';
import { LegacySession } from './legacy-session.ts';

type House = ReturnType<typeof openHouse>;

/** A session of a caller, what its stream says, and how it asks. */
function open({ ports, sessions }: House, principal: Principal, id = principal.id) {
  const request = Request.of('1', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  const session = new LegacySession(ports, id, { request, principal, endpoint: { kind: 'all' } });
  const heard: string[] = [];
  session.setOutlet((text) => heard.push(text));
  sessions.add(session, 9);
  let last = 1;
  const ask = (method: string, params = {}) =>
    new Promise<void>((resolve) =>
      session.receive(Request.of(String(++last), method, params), { message() {}, answer: () => resolve() }),
    );
  return { session, heard, ask };
}

function openTwo() {
  const house = openHouse();
  Object.assign(house.ports, {
    inFlight: { enter() {}, leave() {} },
    upstreams: { ...house.ports.upstreams, setLogLevel: async () => undefined },
  });
  return { house, mine: open(house, ALICE), theirs: open(house, BOB) };
}

const notification = Notification.of('notifications/message', { level: 'info', data: 'private' });
const log = (given: object): UpstreamEvent => ({
  ...{ kind: 'log', upstream: 's', client: undefined, principal: undefined, notification },
  ...given,
});
const other = (given: object = {}): UpstreamEvent => ({
  ...{ kind: 'other', upstream: 's', client: undefined, notification: Notification.of('notifications/x', {}) },
  ...given,
});

describe('of what a server says beside any request, a session hears', () => {
  test.each<[string, UpstreamEvent, 0 | 1, 0 | 1]>([
    ['its caller’s log', log({ principal: ALICE.id }), 1, 0],
    ['the log of its own connection', log({ principal: ALICE.id, client: ALICE.id }), 1, 0],
    ['no log of another connection of its caller', log({ principal: ALICE.id, client: 'another' }), 0, 0],
    ['no log of nobody', log({}), 0, 0],
    ['an event of a shared connection', other(), 1, 1],
    ['an event of its own connection', other({ client: BOB.id }), 0, 1],
  ])('%s', (_, event, isMine, isTheirs) => {
    const { house, mine, theirs } = openTwo();
    house.tell(event);
    expect([mine.heard.length, theirs.heard.length]).toEqual([isMine, isTheirs]);
    house.sessions.close();
  });

  test('nothing of a server that its caller may not see any more', () => {
    const { house, mine } = openTwo();
    house.world.groups = ['ops'];
    house.tell(other());
    house.change({ upstream: 's', list: 'tools', profile: undefined });
    expect(mine.heard).toEqual([]);
    house.world.groups = ['dev'];
    house.tell(other());
    expect(mine.heard).toHaveLength(1);
    house.sessions.close();
  });

  test('of the list that its caller has, and no other', () => {
    const { house, mine, theirs } = openTwo();
    house.change({ upstream: 's', list: 'tools', profile: mine.session.client.profile, principal: ALICE.id });
    expect([mine.heard.length, theirs.heard.length]).toEqual([1, 0]);
    house.change({ upstream: 's', list: 'tools', profile: 'another' });
    expect([mine.heard.length, theirs.heard.length]).toEqual([1, 0]);
    house.sessions.close();
  });

  test('no log below the level that it wants', async () => {
    const { house, mine } = openTwo();
    const say = (level: string) =>
      house.tell(log({ principal: ALICE.id, notification: Notification.of('notifications/message', { level }) }));
    await mine.ask('logging/setLevel', { level: 'warning' });
    for (const level of ['debug', 'notice', 'warning', 'emergency', 'unheard-of']) say(level);
    expect(mine.heard.map((text) => JSON.parse(text).params.level)).toEqual(['warning', 'emergency']);
    house.sessions.close();
  });

  test('what it follows, as its own connection says it', async () => {
    const { house, mine, theirs } = openTwo();
    await mine.ask('resources/subscribe', { uri: 'x:1' });
    const updated = (uri: string, whose: string): UpstreamEvent => ({
      ...{ kind: 'resource_updated', upstream: 's', uri, isFor: ({ key }) => key === whose },
      notification: Notification.of('notifications/resources/updated', { uri }),
    });
    house.tell(updated('x:1', BOB.id));
    house.tell(updated('x:2', ALICE.id));
    expect(mine.heard).toEqual([]);
    house.tell(updated('x:1', ALICE.id));
    expect([mine.heard.length, theirs.heard.length]).toEqual([1, 0]);
    await mine.ask('resources/unsubscribe', { uri: 'x:1' });
    house.tell(updated('x:1', ALICE.id));
    expect(mine.heard).toHaveLength(1);
    house.sessions.close();
  });
});
