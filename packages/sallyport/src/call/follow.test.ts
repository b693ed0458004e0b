import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import type { Envelope } from '../core/envelope.ts';
import { Answer } from '../core/message.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import { followResource, followTask, setLogLevel, unfollowResource } from './follow.ts';
import type { CallPorts } from './ports.ts';

const OWNER = { upstream: 'web', uri: 'note:7', isListed: false };
const FOLLOWED = { owner: OWNER, uri: 'web+note:7' };
const INBOUND = () => toInbound('resources/subscribe', { uri: 'web+note:7' });

const WAYS: readonly [string, (ports: CallPorts, steps: string[]) => Promise<unknown>, string, object][] = [
  [
    'a resource is followed',
    (ports) => followResource(ports, INBOUND(), FOLLOWED),
    'subscribe note:7',
    { uri: 'note:7' },
  ],
  [
    'a resource is followed no longer',
    (ports) => unfollowResource(ports, INBOUND(), FOLLOWED),
    'unsubscribe note:7',
    {},
  ],
  [
    'a log level is wanted',
    (ports) => setLogLevel(ports, toInbound('logging/setLevel', { level: 'info' }), { upstream: 'web', level: 'info' }),
    'level info',
    {},
  ],
  [
    'a task is followed',
    (ports, steps) => {
      const followTaskAt = async (upstream: string, taskId: string) => steps.push(`follow ${upstream} ${taskId}`) > 0;
      const tasks = { followTask: followTaskAt, unfollowTask() {} };
      return followTask({ ...ports, tasks }, INBOUND(), { upstream: 'web', taskId: 't1' });
    },
    'follow web t1',
    {},
  ],
];

function open(verdict: Verdict) {
  const seen: Envelope[] = [];
  const guard: Guard = {
    ...{ name: 'test', kinds: ['subscription'] },
    judge: (envelope) => {
      seen.push(envelope);
      return verdict;
    },
  };
  const steps: string[] = [];
  const answered = async (step: string) => {
    steps.push(step);
    return Answer.result('1', {});
  };
  const upstreams = {
    subscribe: (_: string, uri: string) => answered(`subscribe ${uri}`),
    unsubscribe: (_: string, uri: string) => answered(`unsubscribe ${uri}`),
    setLogLevel: (_: string, level: string) => answered(`level ${level}`),
  } as unknown as CallPorts['upstreams'];
  const relayed = openRelay([guard], {
    upstreams,
    audit: {
      admit: () => void steps.push('recorded'),
      finish: (_subject, { outcome }) => void steps.push(outcome),
      trouble: () => undefined,
    },
  });
  return { ports: relayed.ports, steps, seen };
}

describe.each(WAYS)('where %s', (_, run, sent, fixed) => {
  test('it is judged, recorded and sent, in this order', async () => {
    const { ports, steps, seen } = open(ALLOW);
    await run(ports, steps);
    expect(steps).toEqual(['recorded', sent, 'ok']);
    expect(seen).toMatchObject([{ kind: 'subscription', upstream: 'web' }]);
    expect(seen[0]?.fixed).toEqual(fixed);
  });

  test('no server hears of it when it is denied', async () => {
    const { ports, steps } = open({ kind: 'deny', code: 'denied', reason: 'no' });
    await expect(run(ports, steps)).rejects.toMatchObject({ code: 'denied', message: 'no' });
    expect(steps).toEqual(['denied']);
  });
});

test.each([true, false])('whether a task is followed is what its server says: %s', async (agrees) => {
  const tasks = { followTask: async () => agrees, unfollowTask() {} };
  expect(await followTask({ ...open(ALLOW).ports, tasks }, INBOUND(), { upstream: 'web', taskId: 't1' })).toBe(agrees);
});

test('a resource that its server listed needs no name judged', async () => {
  const { ports, seen } = open(ALLOW);
  await followResource(ports, INBOUND(), { ...FOLLOWED, owner: { ...OWNER, isListed: true } });
  expect(seen).toMatchObject([{ target: 'note:7', publicTarget: 'web+note:7', item: 'resource', fixed: {} }]);
});
