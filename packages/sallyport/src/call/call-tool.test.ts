import { describe, expect, test } from 'vitest';
import { ECHO, openRelay, toInbound } from '../../test/sample-relay.ts';
import { Answer } from '../core/message.ts';
import { callTool } from './call-tool.ts';
import type { Inbound } from './inbound.ts';

const inboundOf = (name: unknown, more: Partial<Record<string, unknown>> = {}): Inbound => {
  const inbound = toInbound('tools/call', { name, arguments: { text: 'hi' } } as never);
  return { ...inbound, view: { ...inbound.view, ...more } } as unknown as Inbound;
};

test('a call goes to the server of its tool, under the own name of the tool', async () => {
  const { ports, sent, admitted } = openRelay([], { answer: () => Answer.result('7', { content: [] }) });
  await callTool(ports, inboundOf('web_echo'));
  expect(sent).toHaveLength(1);
  expect(admitted).toMatchObject([{ upstream: 'web', target: 'echo', args: '{"text":"hi"}' }]);
});

describe('what is no call reaches no server', () => {
  test.each<[string, unknown, Partial<Record<string, unknown>>, string]>([
    ['without a name', undefined, {}, 'tools/call needs "name"'],
    ['with a name that is no text', 7, {}, 'tools/call needs "name"'],
    ['of a tool that nobody has', 'web_other', {}, 'Unknown tool: web_other. tools/list has the names.'],
    [
      'of a tool that nobody has, while a server is away',
      'x_y',
      { unavailable: [{ upstream: 'mail', reason: 'it starts' }] },
      'Not reachable now: mail.',
    ],
    [
      'of a tool of a server that is away',
      'mail_send',
      { unavailable: [{ upstream: 'mail', reason: 'it starts' }] },
      '"mail" cannot be used now. It starts.',
    ],
    ['with a name of a megabyte, which is not repeated', 'x'.repeat(1_000_000), {}, `${'x'.repeat(128)}. tools/list`],
  ])('%s', async (_, name, view, message) => {
    const { ports, sent } = openRelay([]);
    await expect(callTool(ports, inboundOf(name, view))).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});

test('a tool that policies hide is unknown to the caller, and the record says what was tried', async () => {
  const noteHidden = () => ({ effect: 'deny', reason: 'Nobody pays.' }) as never;
  const { ports, records, sent } = openRelay([], { offers: { areEnforced: () => true, noteHidden } });
  const inbound = inboundOf('web_pay', { hiddenTool: () => ({ ...ECHO, name: 'pay' }) });
  await expect(callTool(ports, inbound)).rejects.toThrow('Unknown tool: web_pay');
  expect(sent).toEqual([]);
  expect(records).toMatchObject([{ upstream: 'web', tool: 'pay', guard: 'policy', reason: 'Nobody pays.' }]);
});
