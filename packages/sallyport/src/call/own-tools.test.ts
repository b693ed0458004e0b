import { expect, test } from 'vitest';
import { estimateTokens } from '../core/estimate-tokens.ts';
import { Request } from '../core/message.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import { reparse } from '../upstream/request-meta.ts';
import { unwrapCall } from './discovery/call-through.ts';
import { isSearching } from './discovery/discovery-mode.ts';
import type { OwnAsking } from './own-tool.ts';
import { OWN_TOOLS } from './own-tools.ts';

const asking = (discovery: object = {}, endpoint: object = { kind: 'all' }) =>
  // Only what these functions read of a snapshot and a client.
  ({
    snapshot: {
      discovery: { mode: 'auto', contextTokens: 1000, share: 0.1, resultTokens: 1500, rules: [], ...discovery },
    },
    endpoint,
    client: { info: { name: 'test', version: '' }, principal: KEY_HOLDER },
  }) as unknown as OwnAsking;

const view = (...texts: string[]) =>
  ({ listedTools: () => texts.map((text) => ({ tool: { definition: { text } } })) }) as never;

test('the three that stand in place of a list take fewer than 250 tokens', () => {
  const three = OWN_TOOLS.filter(({ name }) => ['find_tools', 'describe_tool', 'call_tool'].includes(name));
  expect(three).toHaveLength(3);
  expect(estimateTokens(three.map(({ definition }) => definition))).toBeLessThan(250);
});

test.each<[string, OwnAsking, string[], boolean]>([
  ['a small list stays', asking(), ['x'.repeat(300)], false],
  ['a large one does not', asking(), ['x'.repeat(300), 'x'.repeat(300)], true],
  ['nor does one in Chinese of the same meaning', asking(), ['工'.repeat(160)], true],
  ['unless it is off', asking({ mode: 'off' }), ['x'.repeat(3000)], false],
  ['on means always', asking({ mode: 'on' }), [], true],
  ['the list of one server stays', asking({ mode: 'on' }, { kind: 'server', name: 'a' }), [], false],
  ['so does the one at its own path', asking({ mode: 'on' }, { kind: 'all', isPlain: true }), [], false],
])('%s', (_, given, texts, expected) => expect(isSearching(given, view(...texts))).toBe(expected));

const call = (params: object) => Request.of('7', 'tools/call', params as never);

test('a call inside call_tool comes out with all that is beside it, byte for byte', () => {
  const text =
    '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":1.0},"name":"call_tool",' +
    '"task":{"ttl":5},"arguments":{"arguments":{"big":9007199254740993, "é":"ü"},"name":"ü_x"},"requestState":"s"}}';
  expect(unwrapCall(reparse(Buffer.from(text).toString('latin1')), asking()).bytes.toString()).toBe(
    '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":1.0},"name":"ü_x",' +
      '"task":{"ttl":5},"arguments":{"big":9007199254740993, "é":"ü"},"requestState":"s"}}',
  );
});

test.each<[string, Request, OwnAsking]>([
  ['another tool', call({ name: 'x', arguments: { name: 'y' } }), asking()],
  ['another method', Request.of('7', 'prompts/get', { name: 'call_tool', arguments: { name: 'y' } }), asking()],
  ['no name', call({ name: 'call_tool', arguments: {} }), asking()],
  ['no arguments', call({ name: 'call_tool' }), asking()],
  ['a name that is no text', call({ name: 'call_tool', arguments: { name: 1 } }), asking()],
  ['arguments that are no object', call({ name: 'call_tool', arguments: { name: 'x', arguments: '{}' } }), asking()],
  ['itself', call({ name: 'call_tool', arguments: { name: 'call_tool' } }), asking()],
  ['where it is off', call({ name: 'call_tool', arguments: { name: 'y' } }), asking({ mode: 'off' })],
])('%s stays as it is', (_, request, given) => expect(unwrapCall(request, given)).toBe(request));
