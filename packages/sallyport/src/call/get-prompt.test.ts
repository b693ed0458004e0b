import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import { Answer } from '../core/message.ts';
import { getPrompt } from './get-prompt.ts';
import type { Inbound } from './inbound.ts';

const inboundOf = (name: unknown, more: object = {}): Inbound => {
  const inbound = toInbound('prompts/get', { name } as never);
  return { ...inbound, view: { ...inbound.view, ...more } } as unknown as Inbound;
};

test('a prompt is asked of its server, under its own name', async () => {
  const { ports, sent, admitted } = openRelay([], { answer: () => Answer.result('7', { messages: [] }) });
  await getPrompt(ports, inboundOf('web_ask'));
  expect(sent).toHaveLength(1);
  expect(admitted).toMatchObject([{ upstream: 'web', target: 'ask' }]);
});

describe('no server is asked', () => {
  test.each<[string, unknown, object, string, string]>([
    ['without a name', undefined, {}, 'invalid_params', 'prompts/get needs "name"'],
    ['for a prompt nobody has', 'web_other', {}, 'invalid_params', 'Unknown prompt: web_other.'],
    ['for one that is quarantined', 'web_ask', { whyHeld: () => 'It changed.' }, 'denied', 'It changed.'],
    [
      'for one of a server that is away',
      'mail_ask',
      { unavailable: [{ upstream: 'mail', reason: 'it starts' }] },
      'unreachable',
      '"mail" cannot be used now.',
    ],
  ])('%s', async (_, name, view, code, message) => {
    const { ports, sent } = openRelay([]);
    await expect(getPrompt(ports, inboundOf(name, view))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(sent).toEqual([]);
  });
});
