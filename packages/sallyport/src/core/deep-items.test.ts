import { describe, expect, test } from 'vitest';
import { TOO_DEEP, withoutDeepItems } from './deep-items.ts';
import { Answer, parseUpstreamMessage } from './message.ts';

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const tool = (name: string, levels: number) => `{ "name" : "${name}", "inputSchema":${nested(levels)}}`;
const answer = (key: string, items: readonly string[]) =>
  Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"x":"天","${key}":[${items.join(', ')}],"nextCursor":"é"}}`);

describe('attacks', () => {
  test.each(['tools', 'resources', 'resourceTemplates', 'prompts'])('%s: one deep item leaves the others', (key) => {
    const bytes = answer(key, [tool('a', 3), tool('天deep', 600), tool('b', 3)]);
    expect(withoutDeepItems(bytes, 512)).toEqual(
      answer(key, [tool('a', 3), `{"name":"天deep","${TOO_DEEP}":true}`, tool('b', 3)]),
    );
    expect(parseUpstreamMessage(bytes)).toBeInstanceOf(Answer);
  });

  test('a large answer, and an item far too deep', () => {
    const bytes = answer('tools', [tool('a'.repeat(9_000), 3), tool('deep', 200_000)]);
    expect(parseUpstreamMessage(bytes)).toBeInstanceOf(Answer);
  });

  test.each([
    ['a name that is deep itself', answer('tools', [`{"name":${nested(600)}}`]), true],
    ['depth elsewhere', answer('content', [nested(600)]), false],
    ['depth of no list', Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"tools":${nested(600)}}}`), false],
    ['a question', Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"tools":[${nested(600)}]}}`), false],
  ])('%s', (_, bytes, isRead) => {
    if (isRead) expect(parseUpstreamMessage(bytes)).toBeInstanceOf(Answer);
    else expect(() => parseUpstreamMessage(bytes)).toThrow('nested deeper than 512 levels');
  });
});

test('harmless: as deep as allowed, nothing is touched', () => {
  const bytes = answer('tools', [tool('a', 508), tool('b', 3)]);
  expect(withoutDeepItems(bytes, 512)).toBeUndefined();
  expect(parseUpstreamMessage(bytes)).toBeInstanceOf(Answer);
});
