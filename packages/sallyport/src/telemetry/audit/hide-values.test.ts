import { expect, test } from 'vitest';
import { toTool } from '../../../test/sample-call.ts';
import type { JsonObject } from '../../core/json.ts';
import { createHideValues } from './hide-values.ts';
import { createKeyedDigest } from './keyed-digest.ts';

const hidden = createHideValues(createKeyedDigest(Buffer.alloc(32, 7)));
const tool = toTool({ name: 'send', inputSchema: { type: 'object', properties: { recipient: { type: 'string' } } } });

const hide = (reason: string, body: JsonObject, about: { target?: string; fixed?: JsonObject } = {}) =>
  hidden.reason(reason, { tool, target: about.target, said: { body, fixed: about.fixed ?? {} } });

const MASK = /^\[#[\w-]{10}\]$/;
const LONG = `My dearest, ${'I have to tell you that '.repeat(20)}`;

test.each<[string, JsonObject, string, string]>([
  ['a name nobody declared', { 'cancer of ann': 1 }, 'The argument /cancer of ann is', 'cancer of ann'],
  ['a name in a list', { recipient: [{ therapy: 1 }] }, 'at "/recipient/0/therapy".', 'therapy'],
  ['a name as a step of a pointer', { 'a/b therapy': 1 }, 'argument "/a~1b therapy"', 'a~1b therapy'],
  ['a value', { recipient: 'ann@example.com' }, 'The recipient ann@example.com comes from x.', 'ann@example.com'],
  ['a value on one line', { recipient: ' 12 High\n Street' }, 'The address 12 High Street is', '12 High Street'],
  ['a value within quotes', { recipient: 'say "friend"' }, 'is "say \\"friend\\""', 'say \\"friend\\"'],
  ['the beginning of a long one', { recipient: LONG }, `The value ${LONG.slice(0, 120)} is`, LONG.slice(0, 120)],
])('%s stands as a digest', (_, body, reason, said) => {
  const shown = hide(reason, body);
  const [before = '', after = ''] = reason.split(said);
  expect(shown.startsWith(before) && shown.endsWith(after)).toBe(true);
  expect(shown.slice(before.length, shown.length - after.length)).toMatch(MASK);
});

test('a URI does, where it is asked for, in what is fixed, and where nobody knows yet what was asked', () => {
  const uri = 'file:///home/ann/x.txt';
  for (const reason of [
    hide(`"${uri}" leads out`, {}, { target: uri }),
    hide(`"${uri}" leads out`, {}, { fixed: { uri } }),
    hidden.reason(`"${uri}" leads out`, { said: undefined, target: undefined, tool: undefined }),
  ])
    expect(reason).toMatch(/^"\[#[\w-]{10}\]" leads out$/);
  expect(hidden.target(uri, 'completion/complete')).toMatch(/^file:#[\w-]{43}$/);
  expect(hidden.target('mailto:ann', 'resources/read')).toMatch(/^mailto:#[\w-]{43}$/);
  expect(hidden.target('ann', 'resources/read')).toMatch(/^#[\w-]{43}$/);
});

test.each<[string, JsonObject, string]>([
  ['names that the tool declares', { recipient: 5 }, 'The argument "/recipient" is no text.'],
  ['a part of a word', { recipient: 'call' }, 'Calls are recalled. The caller waits.'],
  ['what is short', { recipient: 'a', x: '1' }, 'A call at 1 of a server'],
  ['what is not quoted', { recipient: 'ann@example.com' }, 'The quota "daily" is used up.'],
])('%s: the reason stays as it is', (_, body, reason) => expect(hide(reason, body)).toBe(reason));

test('names of tools, prompts and tasks stay', () => {
  for (const name of ['create_issue', 'github:t17', 'a.b/c', '']) expect(hidden.target(name, 'tools/call')).toBe(name);
});

test('a request with too many members has no reason in the record', () => {
  const body = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`member ${i}`, i]));
  expect(hide('The argument /member 29999 is odd.', body)).toBe('…');
});
