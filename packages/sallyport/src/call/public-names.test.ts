import { describe, expect, test } from 'vitest';
import { toInbound } from '../../test/sample-relay.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import { toPublicAnswer } from './public-names.ts';

const shared = (): Inbound => {
  const inbound = toInbound('tools/call', {});
  return {
    ...inbound,
    view: { ...inbound.view, publicTaskId: (_: string, id: string) => `web.${id}` } as typeof inbound.view,
  };
};
const toPublic = (result: JsonObject, inbound = shared()) => toPublicAnswer(inbound, 'web', Answer.result('1', result));

const LINK = { type: 'resource_link', uri: 'a:1', name: 'n' };
const EMBEDDED = { type: 'resource', resource: { uri: 'a:2', text: 'uri a:2' } };
const TEXT = { type: 'text', text: 'a:1', uri: 'a:3' };
const LONG = { type: 'text', text: 'x'.repeat(5_000) };

describe('on the shared endpoint', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['contents', { contents: [{ uri: 'a:1', text: 'a:1' }] }, { contents: [{ uri: 'web+a:1', text: 'a:1' }] }],
    ['a link', { content: [TEXT, LINK] }, { content: [TEXT, { ...LINK, uri: 'web+a:1' }] }],
    [
      'an embedded resource',
      { content: [EMBEDDED] },
      { content: [{ ...EMBEDDED, resource: { uri: 'web+a:2', text: 'uri a:2' } }] },
    ],
    ['a link beside much text', { content: [LONG, LINK] }, { content: [LONG, { ...LINK, uri: 'web+a:1' }] }],
    [
      'a message of a prompt',
      { messages: [{ role: 'user', content: LINK }] },
      { messages: [{ role: 'user', content: { ...LINK, uri: 'web+a:1' } }] },
    ],
    [
      'a long message of a prompt',
      {
        messages: [
          { role: 'user', content: LONG },
          { role: 'user', content: LINK },
        ],
      },
      {
        messages: [
          { role: 'user', content: LONG },
          { role: 'user', content: { ...LINK, uri: 'web+a:1' } },
        ],
      },
    ],
    ['a task', { taskId: 't', status: 'working' }, { taskId: 'web.t', status: 'working' }],
    ['a task that a call started', { task: { taskId: 't' } }, { task: { taskId: 'web.t' } }],
    [
      'the result of a task',
      { taskId: 't', result: { content: [LINK] } },
      { taskId: 'web.t', result: { content: [{ ...LINK, uri: 'web+a:1' }] } },
    ],
  ])('%s has the name that clients use', (_, result, expected) => {
    expect(toPublic(result).result).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    ['a text', { content: [TEXT] }],
    ['much text', { content: [LONG] }],
    ['structured content', { content: [], structuredContent: { uri: 'a:1', taskId: 't' } }],
    ['odd types', { contents: [{ uri: 7 }, 1], content: 'x', messages: [1, { content: [LINK] }], taskId: 7, task: 1 }],
  ])('%s stays as it is', (_, result) => {
    expect(toPublic(result).result).toEqual(result);
  });

  test('an error that names a resource names it as clients do', () => {
    const answer = toPublicAnswer(shared(), 'web', Answer.error('1', -32002, 'a:1', { uri: 'a:1' }));
    expect(answer.outcome).toMatchObject({ error: { message: 'a:1', data: { uri: 'web+a:1' } } });
    const bare = Answer.error('1', -32002, 'a:1');
    expect(toPublicAnswer(shared(), 'web', bare).outcome).toEqual(bare.outcome);
  });
});

test('the endpoint of one server keeps that server’s names', () => {
  const inbound: Inbound = { ...shared(), endpoint: { kind: 'server', name: 'web' } };
  const result = { contents: [{ uri: 'a:1' }], taskId: 't' };
  expect(toPublic(result, inbound).result).toEqual(result);
});
