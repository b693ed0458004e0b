import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import type { Inbound } from './inbound.ts';
import { beginPassing } from './passing.ts';
import { findUnreached, refuseUnreachable } from './unreachable.ts';

const DOWN = { upstream: 'mail', reason: 'it does not answer' };
const { ports } = openRelay([]);
const toAsking = (endpoint: Inbound['endpoint'], unavailable = [DOWN]): Inbound => {
  const inbound = toInbound('tools/call', {});
  return { ...inbound, endpoint, view: { ...inbound.view, unavailable } } as unknown as Inbound;
};
const OWN = { kind: 'server', name: 'mail' } as const;

describe('a name that is not known', () => {
  const refuse = (inbound: Inbound, name: string) => {
    const passing = beginPassing(ports, inbound);
    refuseUnreachable(passing, name);
    return passing.quoted;
  };

  test.each([
    ['a tool of a server that cannot be reached', toAsking({ kind: 'all' }), 'mail_send'],
    ['a resource of it', toAsking({ kind: 'all' }), 'mail+inbox://1'],
    ['any name at the endpoint of that server', toAsking(OWN), 'send'],
  ])('%s: the server is named', (_, inbound, name) => {
    expect(() => refuse(inbound, name)).toThrow('"mail" cannot be used now. It does not answer.');
    expect(() => refuse(inbound, name)).toThrow(expect.objectContaining({ code: 'unreachable' }));
  });

  test('a key of the configuration is named as it is written', () => {
    const unset = { upstream: 'mail', reason: 'env.MAIL_KEY: the variable MAIL_KEY is not set' };
    expect(() => refuse(toAsking(OWN, [unset]), 'send')).toThrow(
      '"mail" cannot be used now. env.MAIL_KEY: the variable MAIL_KEY is not set.',
    );
  });

  test.each(['mailbox_send', 'web_mail', ''])('%j is of no server that is away', (name) => {
    expect(refuse(toAsking({ kind: 'all' }), name)).toBeUndefined();
  });

  test('its words are read as those of the server', () => {
    const passing = beginPassing(ports, toAsking(OWN));
    expect(() => refuseUnreachable(passing, 'send')).toThrow();
    expect(passing.quoted).toBe('mail');
  });
});

describe('an endpoint whose server was never reached', () => {
  const ask = (inbound: Inbound, missing: boolean) => findUnreached(ports, inbound, { code: 'not_ready', missing });

  test('gives an error that clients retry', async () => {
    expect(await ask(toAsking(OWN), true)).toMatchObject({
      code: 'not_ready',
      message: '"mail" cannot be used now. It does not answer.',
    });
  });

  test.each<[string, Inbound, boolean]>([
    ['where there is something to answer', toAsking(OWN), false],
    ['where the server is there', toAsking(OWN, []), true],
    ['on the shared endpoint', toAsking({ kind: 'all' }), true],
  ])('gives none %s', (_, inbound, missing) => {
    expect(ask(inbound, missing)).toBeUndefined();
  });
});
