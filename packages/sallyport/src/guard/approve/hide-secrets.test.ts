import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../../test/sample-call.ts';
import type { JsonObject } from '../../core/json.ts';
import { describeTyped, hideIn, hideSecrets, showSecrets } from './hide-secrets.ts';

/** Made of parts, so that no tool that reads this repository takes it for a key. */
const TOKEN = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const key = Buffer.alloc(32, 7);
const inputSchema = {
  type: 'object',
  properties: { pin: { 'x-sensitive': true }, login: { properties: { word: { format: 'password' } } } },
};
const tool = toTool({ name: 'echo', inputSchema });
const hide = (given: JsonObject, from = key) => hideSecrets(toCall({ body: given, tool }), { key: from });

describe('what nobody reads', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['a key', { note: `with ${TOKEN}.` }, [TOKEN]],
    ['a key below a list', { steps: [{ env: [TOKEN] }] }, [TOKEN]],
    ['a key as a name', { [TOKEN]: 1 }, [TOKEN]],
    ['a key in base64', { note: Buffer.from(TOKEN).toString('base64') }, [Buffer.from(TOKEN).toString('base64')]],
    ['a key in two arguments', { a: TOKEN.slice(0, 20), b: TOKEN.slice(20) }, [TOKEN.slice(0, 20), TOKEN.slice(20)]],
    ['a password by its name', { password: 'hunter2-hunter2' }, ['hunter2-hunter2']],
    ['a marked number', { pin: 73915 }, ['73915']],
    ['a marked flag', { pin: true }, ['true']],
    ['a marked text of one character', { login: { word: 'x' } }, ['"x"']],
    ['a card', { card: '4539 1488 0343 6467' }, ['4539 1488', '0343']],
    ['a card as a number', { card: 4539148803436467 }, ['453914']],
    ['an account', { to: 'DE89370400440532013000' }, ['DE8937']],
    ['a social security number', { ssn: '536-90-4399' }, ['536-90']],
  ])('%s', (_, given, secrets) => {
    const hidden = hide(given);
    for (const secret of secrets) expect(JSON.stringify(hidden.shown)).not.toContain(secret);
    expect(JSON.stringify(hidden.shown)).toContain('{{hidden:');
    expect(showSecrets(hidden.shown, hidden.values)).toEqual(given);
  });

  const letters = [...TOKEN];
  const codes = letters.map((letter) => letter.charCodeAt(0));
  test.each<[string, JsonObject, number]>([
    ['letters of a list', { x: letters }, 40],
    ['letters of lists', { x: letters.map((letter) => [letter]) }, 40],
    ['letters under a name each', Object.fromEntries(letters.map((letter, i) => [`n${i}`, letter])), 40],
    ['codes of a list', { x: codes }, 40],
    ['codes under a name each', { x: Object.fromEntries(codes.map((code, i) => [`n${i}`, code])) }, 40],
    ['a card in digits', { x: [...'4539148803436467'] }, 16],
  ])('spelled: %s', (_, given, size) => {
    const hidden = hide(given);
    const marks = JSON.stringify(hidden.shown).match(/\{\{hidden:[a-z-]+:[a-z2-7]{16}\}\}/g) ?? [];
    expect(marks).toHaveLength(size);
    // A letter with a mark of its own could be read off wherever else it stands.
    expect(new Set(marks).size).toBe(marks.length);
    expect(showSecrets(hidden.shown, hidden.values)).toEqual(given);
  });
  test('spelled, only the letters of the secret, with the same marks for the same secret', () => {
    const [one, same, other] = [
      hide({ x: letters }),
      hide({ a: 1, y: letters }),
      hide({ x: [...TOKEN.slice(0, -1), 'f'] }),
    ];
    expect(same.shown['y']).toEqual(one.shown['x']);
    for (const mark of other.values.keys()) expect(one.values.has(mark)).toBe(false);
    const { shown } = hide({ x: ['H', 'i', ' ', ...letters, ' ', '!'] });
    expect(shown['x']).toMatchObject([
      'H',
      'i',
      ' ',
      ...letters.map(() => expect.stringContaining('hidden')),
      ' ',
      '!',
    ]);
  });

  test('also in the words of a guard', () => {
    expect(hideIn(`"${TOKEN}" leaves`, hide({ a: TOKEN }))).toMatch(/^"\{\{hidden:github-token:\w{16}\}\}" leaves$/);
  });
});

test.each<[string, JsonObject]>([
  ['mail', { to: 'ada@office.example', body: 'The offer is 12,000.' }],
  ['a path and a command', { path: '/srv/reports/2026/q1.csv', command: 'wc -l q1.csv' }],
  ['a commit and an id', { commit: 'b7d211533d9a2729d2c9302c1b6c3ccecd232dce', id: 41 }],
  ['a word in letters', { x: [...'internationalisation'], y: [...Buffer.from('internationalisation')] }],
  ['a phone number', { phone: '+46 8 123 456 78' }],
  ['a token of a masked value', { key: '{{secret:github-token:k3qz5ab7w2xn4mde}}' }],
])('a person reads %s as it is', (_, given) => {
  const { shown, values } = hide(given);
  expect(shown).toBe(given);
  expect(values.size).toBe(0);
});

test('a mark is one of this value and this installation', () => {
  const [one, same, other] = [hide({ a: TOKEN }), hide({ b: `x ${TOKEN}` }), hide({ a: TOKEN }, Buffer.alloc(32, 8))];
  expect(same.shown['b']).toBe(`x ${one.shown['a']}`);
  expect(other.shown).not.toEqual(one.shown);
  expect(showSecrets({ a: other.shown['a'] ?? '' }, one.values)).toBeUndefined();
});

test('what a person typed is read, marks are not', () => {
  const { shown } = hide({ password: 'hunter2-hunter2', pin: 73915, n: 1 });
  expect(describeTyped({ a: TOKEN }, shown)).toBe('github-token at /a');
  expect(describeTyped({ ...shown, pin: 73916 }, shown)).toBe('sensitive-field at /pin');
  expect(describeTyped({ ...shown, n: 2 }, shown)).toBeUndefined();
});
