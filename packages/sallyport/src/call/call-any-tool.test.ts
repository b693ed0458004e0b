import { expect, test } from 'vitest';
import { ECHO, openRelay, toInbound } from '../../test/sample-relay.ts';
import type { JsonObject } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Guard } from '../guard/guard.ts';
import { callAnyTool } from './call-any-tool.ts';
import { unwrapCall } from './discovery/call-through.ts';
import type { Inbound } from './inbound.ts';

/** As the gateway hands it over: a call inside `call_tool` in its place. */
function inboundOf(params: JsonObject, tool = ECHO): Inbound {
  const given = toInbound('tools/call', params);
  const listed = [{ tool, description: undefined }];
  const view = {
    ...{ ...given.view, prepare: () => undefined, listedTools: () => listed },
    tool: (name: string) => (name === tool.publicName ? tool : undefined),
  };
  const inner = unwrapCall(given.request, { ...given, client: given.exchange.client });
  return { ...given, view, request: inner, ...(inner === given.request ? {} : { wrapped: given.request }) };
}

const textsOf = ({ result }: Answer) => ((result?.['content'] ?? []) as { text: string }[]).map(({ text }) => text);

test('a call of a tool of Sallyport is recorded, and no server hears of it', async () => {
  const { ports, sent, records, admitted } = openRelay([]);
  const answer = await callAnyTool(ports, inboundOf({ name: 'find_tools', arguments: { queries: ['echo'] } }));
  expect(textsOf(answer)).toEqual(['web_echo()']);
  expect(sent).toEqual([]);
  expect(records).toMatchObject([{ upstream: '(sallyport)', tool: 'find_tools', outcome: 'ok' }]);
  expect(admitted).toMatchObject([{ args: '{"queries":["echo"]}' }]);
});

test('a call inside call_tool is judged, recorded and sent as the call of the tool itself', async () => {
  const seen: string[] = [];
  const guard: Guard = {
    ...{ name: 'guard', kinds: ['call', 'own'] },
    judge: ({ kind, target }) => {
      seen.push(`${kind} ${target}`);
      return { kind: 'allow' };
    },
  };
  const { ports, sent, records } = openRelay([guard]);
  const given = { name: 'call_tool', arguments: { name: 'web_echo', arguments: { text: 'hi' } } };
  await callAnyTool(ports, inboundOf(given));
  expect(seen).toEqual(['call echo']);
  expect(sent.map(({ request }) => request.params)).toEqual([{ name: 'web_echo', arguments: { text: 'hi' } }]);
  expect(records).toMatchObject([{ upstream: 'web', tool: 'echo' }]);
});

test('a server’s tool that is called call_tool gets the call as it was written', async () => {
  const { ports, sent } = openRelay([]);
  const own = { ...ECHO, name: 'call_tool', publicName: 'call_tool' };
  await callAnyTool(ports, inboundOf({ name: 'call_tool', arguments: { name: 'web_echo' } }, own));
  expect(sent.map(({ request }) => request.params)).toEqual([{ name: 'call_tool', arguments: { name: 'web_echo' } }]);
});

test('an unknown name is answered in words that a model reads, and is in the record', async () => {
  const { ports, records } = openRelay([]);
  const answer = await callAnyTool(ports, inboundOf({ name: 'call_tool', arguments: { name: 'web_ecco' } }));
  expect(textsOf(answer)).toEqual(['There is no tool "web_ecco". Nearest: web_echo. find_tools finds others.']);
  expect(records).toMatchObject([{ outcome: 'failed' }]);
});
