import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import type { JsonObject } from '../core/json.ts';
import type { Principal } from '../core/principal.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import type { Inbound } from './inbound.ts';
import { introduce } from './introduce.ts';

const SAID = { serverInfo: { name: 'web' }, capabilities: { tools: {} } };

function toAsking(given: Partial<{ isIntroduced: boolean; principal: Principal }> = {}): Inbound {
  const inbound = toInbound('initialize', {}, given.principal);
  const view = { ...inbound.view, ...SAID, isIntroduced: given.isIntroduced ?? true };
  const unavailable = view.isIntroduced ? [] : [{ upstream: 'web', reason: 'it starts' }];
  return {
    ...inbound,
    endpoint: { kind: 'server', name: 'web' },
    view: { ...view, unavailable },
  } as unknown as Inbound;
}

function guardThat(verdict: Verdict, seen: JsonObject[] = []): Guard {
  return {
    ...{ name: 'test', kinds: ['server_info'] },
    judge: ({ body }) => {
      seen.push(body);
      return verdict;
    },
  };
}

const introducedBy = (verdict: Verdict, seen: JsonObject[] = []) =>
  introduce(openRelay([guardThat(verdict, seen)]).ports, toAsking());

describe('what an endpoint says of itself', () => {
  test('is judged as the words of its server', async () => {
    const seen: JsonObject[] = [];
    expect(await introducedBy({ kind: 'allow' }, seen)).toEqual(SAID);
    expect(seen).toEqual([SAID]);
  });

  test.each<Verdict>([
    { kind: 'deny', code: 'denied', reason: 'no' },
    { kind: 'ask', reason: 'sure?' },
  ])('is left out when the verdict is $kind', async (verdict) => {
    expect(await introducedBy(verdict)).toEqual({ capabilities: {}, serverInfo: {} });
  });

  test('is what a guard has left of it', async () => {
    const value = { serverInfo: { name: 'w' }, capabilities: [] };
    expect(await introducedBy({ kind: 'rewrite', value, reason: 'a key in it' })).toEqual({
      capabilities: {},
      serverInfo: { name: 'w' },
    });
  });
});

describe('a server that was never reached', () => {
  const { ports } = openRelay([]);

  test('gives an error that clients retry', async () => {
    await expect(introduce(ports, toAsking({ isIntroduced: false }))).rejects.toMatchObject({ code: 'not_ready' });
  });

  test('does not stop a client that started us: it asks once', async () => {
    const principal = { ...toInbound('x', {}).exchange.client.principal, kind: 'stdio' } as unknown as Principal;
    expect(await introduce(ports, toAsking({ isIntroduced: false, principal }))).toEqual(SAID);
  });
});
