import { describe, expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import { complete } from './complete.ts';

const ARGUMENT = { name: 'department', value: 'S' };
const ask = (ref: JsonObject | undefined) =>
  toInbound('completion/complete', { ...(ref === undefined ? {} : { ref }), argument: ARGUMENT });

describe('a completion goes to the owner', () => {
  test.each([
    ['of the prompt', { type: 'ref/prompt', name: 'web_ask' }, 'ask'],
    ['of the resource template', { type: 'ref/resource', uri: 'web+note:{id}' }, 'note:{id}'],
  ])('%s', async (_, ref, target) => {
    const { ports, sent, admitted } = openRelay([], {
      answer: () => Answer.result('7', { completion: { values: [] } }),
    });
    await complete(ports, ask(ref));
    expect(sent).toHaveLength(1);
    expect(admitted).toMatchObject([{ upstream: 'web', target }]);
  });
});

describe('no server is asked', () => {
  test.each<[string, JsonObject | undefined, string]>([
    ['for a prompt nobody has', { type: 'ref/prompt', name: 'web_other' }, 'Unknown prompt: web_other.'],
    [
      'for a template nobody has',
      { type: 'ref/resource', uri: 'other:{id}' },
      'Unknown resource template: other:{id}.',
    ],
    ['for something of another type', { type: 'ref/tool', name: 'web_echo' }, 'completion/complete needs "ref"'],
    ['for nothing', undefined, 'completion/complete needs "ref"'],
  ])('%s', async (_, ref, message) => {
    const { ports, sent } = openRelay([]);
    await expect(complete(ports, ask(ref))).rejects.toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining(message),
    });
    expect(sent).toEqual([]);
  });
});
