import { expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import type { Guard } from '../guard/guard.ts';
import type { Inbound } from './inbound.ts';
import { askForPage } from './server-page.ts';

const PAGE = { tools: [{ name: 'a' }, { name: 'b' }, 1], nextCursor: 'next' };

/** A page of tools from the server `web`, and what of it the view was asked to show. */
function ask(answer: Answer, guards: readonly Guard[] = []) {
  const relayed = openRelay(guards, { answer: () => answer });
  const picked: unknown[] = [];
  const inbound = toInbound('tools/list', { cursor: 'c' });
  const pick = (kind: string, ids: ReadonlySet<unknown>, next: string | undefined) => {
    picked.push([kind, [...ids].filter((id) => id !== undefined), next]);
    return 'a page';
  };
  const view = { ...inbound.view, pick } as unknown as Inbound['view'];
  return {
    ...relayed,
    picked,
    page: askForPage(relayed.ports, { ...inbound, view }, { kind: 'tools', upstream: 'web' }),
  };
}

test('a page of a server is asked for as any request is, and shown as the catalogue has its items', async () => {
  const { page, steps, picked, admitted } = ask(Answer.result('1', PAGE));
  expect(await page).toBe('a page');
  expect(steps).toEqual(['recorded', 'sent', 'ok']);
  expect(admitted).toMatchObject([{ upstream: 'web', args: '{"cursor":"c"}' }]);
  expect(picked).toEqual([['tools', ['a', 'b'], 'next']]);
});

test('a cursor that a guard denies reaches no server', async () => {
  const denies: Guard = {
    ...{ name: 'test', kinds: ['request'] },
    judge: ({ fixed }) => ({ kind: 'deny', code: 'denied', reason: JSON.stringify(fixed['others']) }),
  };
  const { page, steps } = ask(Answer.result('1', PAGE), [denies]);
  await expect(page).rejects.toMatchObject({ code: 'denied', message: '{"cursor":"c"}' });
  expect(steps).toEqual(['denied']);
});

test.each<[JsonObject, unknown[]]>([
  [{}, ['tools', [], undefined]],
  [{ tools: 'none', nextCursor: 7 }, ['tools', [], undefined]],
])('an answer of another shape, %j, shows nothing', async (result, expected) => {
  const { page, picked } = ask(Answer.result('1', result));
  await page;
  expect(picked).toEqual([expected]);
});

test('a server that gives no page says so itself', async () => {
  const error = Answer.error('1', -32602, 'Unknown cursor.');
  expect(((await ask(error).page) as Answer).errorCode).toBe(-32602);
});
