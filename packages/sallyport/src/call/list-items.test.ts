import { expect, test } from 'vitest';
import { toInbound } from '../../test/sample-relay.ts';
import type { Page } from '../catalog/contract.ts';
import { Request } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import { listItems } from './list-items.ts';
import type { CallPorts } from './ports.ts';

const NO_PORTS = {} as CallPorts; // a list that is whole asks none of them
const PAGE: Page = { items: '[]', nextCursor: undefined, missing: [], ttlMs: 0, cacheScope: 'private' };

function inboundOf(prepare: Inbound['view']['prepare']): Inbound {
  const view = { prepare, list: () => PAGE, listedTools: () => [], unavailable: [] };
  const { exchange, endpoint, snapshot } = toInbound('tools/list', {});
  return { request: Request.of('1', 'tools/list'), view, exchange, endpoint, snapshot } as unknown as Inbound;
}

test('a list with nothing left to decide is there at once', () => {
  expect(
    listItems(
      NO_PORTS,
      inboundOf(() => undefined),
      'tools',
    ),
  ).toBe(PAGE);
});

test('a list that takes long to decide lets others have their turn', async () => {
  const turns: string[] = [];
  function* slowly() {
    for (let i = 0; i < 4; i++) {
      const until = performance.now() + 5;
      while (performance.now() < until);
      turns.push('decided');
      yield;
    }
  }
  const page = listItems(NO_PORTS, inboundOf(slowly), 'tools');
  setImmediate(() => turns.push('another call'));
  expect(await page).toBe(PAGE);
  expect(turns.indexOf('another call')).toBeLessThan(turns.lastIndexOf('decided'));
});
