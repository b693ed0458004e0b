import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { Notification } from '../core/message.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import type { CallPorts } from './ports.ts';
import { tellServer } from './tell.ts';

const said = (params: JsonObject = { progressToken: 1, progress: 1 }) =>
  Notification.of('notifications/progress', params);

function guardThat(verdict: Verdict | (() => never)): Guard & { readonly seen: unknown[] } {
  const seen: unknown[] = [];
  return {
    ...{ name: 'test', kinds: ['client_notification'], seen },
    judge: (envelope) => {
      seen.push(envelope);
      return typeof verdict === 'function' ? verdict() : verdict;
    },
  };
}

const tell = (ports: CallPorts, notification = said(), send?: (told: Notification) => void) => {
  const { exchange, endpoint, snapshot } = toInbound('x', {});
  return tellServer(ports, { exchange, endpoint, snapshot, upstream: 'web' }, notification, send);
};

describe('a notification of a client', () => {
  test('is judged, recorded and sent, in this order', async () => {
    const guard = guardThat({ kind: 'allow' });
    const { ports, steps, admitted, ended } = openRelay([guard]);
    await tell(ports);
    expect(steps).toEqual(['recorded', 'told', 'ok']);
    expect(guard.seen).toMatchObject([
      { kind: 'client_notification', upstream: 'web', target: 'notifications/progress', run: 'client-1' },
    ]);
    expect(admitted).toMatchObject([
      { upstream: 'web', target: 'notifications/progress', args: '{"progressToken":1,"progress":1}' },
    ]);
    expect(ended).toMatchObject([{ end: { outcome: 'ok', guard: undefined, reason: undefined } }]);
  });

  test.each<[string, Verdict | (() => never), string]>([
    ['denied', { kind: 'deny', code: 'denied', reason: 'no' }, 'no'],
    ['asked about, as nobody can be', { kind: 'ask', reason: 'sure?' }, 'sure?'],
    [
      'to be rewritten, as nothing of it can be left out',
      { kind: 'rewrite', value: {}, reason: 'a key in it' },
      'Nothing can be left out of a notification. a key in it',
    ],
    [
      'judged by a guard that fails',
      () => {
        throw new Error('private words');
      },
      'The guard "test" failed, so the call was not made. Try again; if it fails again, ask the operator to look into the log.',
    ],
  ])('reaches no server when it is %s', async (_, verdict, reason) => {
    const counted: unknown[] = [];
    const metrics = { denied: (guard: unknown) => counted.push(guard), called() {}, answered() {} };
    const { ports, steps, ended } = openRelay([guardThat(verdict)], { metrics });
    await expect(tell(ports)).rejects.toMatchObject({ code: 'denied', message: reason });
    expect(steps).toEqual(['denied']);
    expect(ended).toMatchObject([{ end: { guard: 'test', reason } }]);
    expect(counted).toEqual(['test']);
  });

  test('that cannot be recorded reaches no server', async () => {
    const audit = {
      admit: () => Promise.reject(new FaultError('unrecorded', 'full')),
      finish() {},
      trouble: () => undefined,
    };
    const { ports, steps } = openRelay([], { audit });
    await expect(tell(ports)).rejects.toMatchObject({ code: 'unrecorded' });
    expect(steps).toEqual([]);
  });

  test.each([
    [65_536, undefined],
    [65_537, 'too_large'],
  ])('of %d bytes: %s', async (size, code) => {
    const { ports, steps } = openRelay([]);
    const padding = size - said({ text: '' }).bytes.length;
    const telling = tell(ports, said({ text: 'x'.repeat(padding) }));
    if (code === undefined) await telling;
    else await expect(telling).rejects.toMatchObject({ code });
    expect(steps).toEqual(code === undefined ? ['recorded', 'told', 'ok'] : ['failed']);
  });

  test('whose server cannot be reached ends as failed in the record', async () => {
    const { ports, ended } = openRelay([]);
    const send = () => {
      throw new FaultError('unreachable', 'web is down');
    };
    await expect(tell(ports, said(), send)).rejects.toMatchObject({ code: 'unreachable' });
    expect(ended).toMatchObject([{ end: { outcome: 'failed', reason: 'web is down' } }]);
  });
});
