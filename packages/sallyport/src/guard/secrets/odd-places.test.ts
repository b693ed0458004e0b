import { describe, expect, test } from 'vitest';
import { toCall, toResult, toTool } from '../../../test/sample-call.ts';
import { resolveSecrets, secretsSchema } from '../../config/secrets-section.ts';
import type { JsonObject } from '../../core/json.ts';
import { inspect } from '../guard.ts';
import { refusePattern } from './custom-patterns.ts';
import { putBack } from './put-back.ts';
import { secrets, secretsInResult } from './secrets.ts';
import type { KeptSecret, SecretVault } from './vault.ts';

const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const CARD = 4539578763621486;
/** Of nobody's wallet: its last word is the checksum of the others. */
const PHRASE = 'scheme spot photo card baby mountain device kick cradle pact join borrow';
const kept = new Map<string, KeptSecret>();
/** As `state/` has it, without its bounds, for one owner. */
const vault: SecretVault = {
  keep: (_owner, given) =>
    given.map((one) => {
      const id = `mask${kept.size.toString(2).padStart(12, '0').replaceAll('0', 'a').replaceAll('1', 'b')}`;
      kept.set(id, one);
      return id;
    }),
  find: (_owner, ids) => ids.map((id) => kept.get(id)),
};
const marks = {
  type: 'object',
  properties: {
    pin: { type: 'string', format: 'password' },
    code: { type: 'integer', 'x-sensitive': true },
    ill: { type: 'boolean', 'x-sensitive': true },
    people: { type: 'object', 'x-sensitive': true },
  },
};
const tool = toTool({ name: 'run', inputSchema: { type: 'object' }, outputSchema: marks });

function ports(written: object) {
  const now = resolveSecrets(secretsSchema.parse(written), { servers: ['sample'], refusePattern }, (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  });
  return { settings: () => now, vault };
}

async function send(given: JsonObject, written: object = {}) {
  return inspect(secrets(ports(written)), toCall({ tool, body: given }));
}

async function receive(result: JsonObject, written: object = {}): Promise<JsonObject> {
  const { verdict, rewritten } = await inspect([secretsInResult(ports(written))], toResult(toCall({ tool }), result));
  expect(verdict.kind).toBe('rewrite');
  return rewritten ?? {};
}

const structured = (structuredContent: JsonObject, text = 'done'): JsonObject => ({
  content: [{ type: 'text', text }],
  structuredContent,
});
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('attacks: a secret leaves in', () => {
  test.each<[string, JsonObject]>([
    ['the name of a member', { [KEY]: 1 }],
    ['codes of characters', { body: { type: 'Buffer', data: [...Buffer.from(KEY)] } }],
    ['codes under a name each', { body: Object.fromEntries([...Buffer.from(KEY)].map((code, i) => [`${i}`, code])) }],
    ['letters of a list', { x: [...`a ${KEY}`] }],
    ['digits of a list', { x: [...`${CARD}`] }],
    ['words of a list', { note: ['a', ...PHRASE.split(' ')] }],
    ['words of a list, with their numbers', { note: PHRASE.split(' ').map((word, i) => `${i + 1}. ${word}`) }],
    ['words under a name each', Object.fromEntries(PHRASE.split(' ').map((word, i) => [`w${i}`, word]))],
    ['four words at a time', { a: 'see', b: PHRASE.split(' ', 4).join(' '), c: PHRASE.split(' ').slice(4).join(' ') }],
    ['the name of a member, deep down', { a: [{ [`x ${KEY}`]: {} }] }],
    ['a number', { card: CARD }],
    ['what only calls itself a picture', { type: 'image', mimeType: 'image/png', data: KEY }],
    ['base64 that calls itself a picture', { type: 'image', mimeType: 'image/png', data: base64(`a ${KEY}`) }],
    ['a note beside a picture', { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=', note: KEY }],
    [
      'base64 behind a thousand other blocks',
      {
        x: `${Array.from({ length: 1_000 }, (_, i) => base64(`hello number ${i} some`)).join(' ')} ${base64(`a ${KEY}`)}`,
      },
    ],
    ['the end of a long block', { x: base64(`${'lorem ipsum dolor '.repeat(20_000)} ${KEY}`) }],
    [
      'pieces behind three hundred texts',
      {
        x: [...Array.from({ length: 300 }, () => 'x'), 'ghp_a7Kq2Zx9Lm', '4Tp8Rv3Wn6Yb5H', 'c1Jd0GfQ2w9e'],
      },
    ],
    [
      'a text with a thousand mail addresses',
      {
        x: `${Array.from({ length: 1_100 }, (_, i) => `a${i}@acme.dev`).join(' ')} DE44500105175407324931`,
      },
    ],
    ['a text with ten thousand numbers', { x: `${'123456789.\n'.repeat(10_100)} 4539578763621486` }],
  ])('%s', async (_name, given) => {
    const { verdict } = await send(given);
    expect(verdict.kind).toBe('ask');
    expect(JSON.stringify(verdict)).not.toMatch(/a7Kq|453957/);
  });

  test('a reason does not say the name of a member that holds one', async () => {
    const { verdict } = await send({ [KEY]: { password: 'hunter2!!xyz' } }, { arguments: { credentials: 'deny' } });
    expect(verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('/…/password') });
    expect(JSON.stringify(verdict)).not.toContain('a7Kq');
  });

  test('more of them than can be counted are refused', async () => {
    const { verdict } = await send({ x: 'a@b.co '.repeat(100_001) }, { arguments: { contact: 'mask' } });
    expect(verdict).toMatchObject({
      kind: 'deny',
      reason:
        'The call was not made. One text holds more than 100,000 keys, numbers, addresses and the like, more than are checked. Split it into smaller texts.',
    });
    const own = { custom: [{ name: 'mail', pattern: 'a@b' }], arguments: { contact: 'allow' } };
    const counted = await send({ x: 'a@b, '.repeat(100_001) }, own);
    expect(counted.verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('Split it into smaller') });
  });

  test('several texts with less each are not too large', async () => {
    const given = { x: 'a@b.co '.repeat(60_000), y: 'a@b.co '.repeat(60_000) };
    const { verdict } = await send(given, { arguments: { contact: 'allow' } });
    expect(verdict).toEqual({ kind: 'allow' });
  });
});

describe('attacks: the model gets', () => {
  test.each<[string, JsonObject, RegExp, object]>([
    ['the name of a member', structured({ [KEY]: 1 }), /a7Kq/, {}],
    ['a number', structured({ card: CARD }), /453957/, {}],
    [
      'a password of several words, as text beside it',
      structured({ password: 'correct horse 9 staple' }, '{"password":"correct horse 9 staple"}'),
      /horse/,
      {},
    ],
    ['a short field that is marked, as text beside it', structured({ pin: '7391' }, '{"pin": "7391"}'), /7391/, {}],
    ['a number that is marked', structured({ code: 8264 }, '{"code":8264}'), /8264/, {}],
    ['a flag that is marked', structured({ ill: true }, '{"ill":true}'), /true/, {}],
    ['names in an object that is marked', structured({ people: { 'Ada Lovelace': 1 } }), /Ada/, {}],
    [
      'mail address number 1,500',
      structured({}, Array.from({ length: 1_500 }, (_, i) => `m${i}@acme.dev`).join(' ')),
      /@acme/,
      { results: { contact: 'mask' } },
    ],
    [
      'a key file around what looks like a token',
      structured(
        {},
        `-----BEGIN PRIVATE KEY-----\n{{secret:a:aaaaaaaaaaaaaaaa}}\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(4)}\n-----END PRIVATE KEY-----`,
      ),
      /MIIE/,
      {},
    ],
  ])('%s', async (_name, result, secret, written) => {
    expect(JSON.stringify(await receive(result, written))).not.toMatch(secret);
  });

  test('two names that are removed leave two members', async () => {
    const { structuredContent } = await receive(structured({ 'a@acme.dev': 1, 'b@acme.dev': 2, c: 3 }), {
      results: { contact: 'drop' },
    });
    expect(structuredContent).toEqual({ '[removed: mail-address]': 1, '[removed: mail-address] 2': 2, c: 3 });
  });
});

describe('round trips', () => {
  test('a name comes back as it was, in its place', async () => {
    const { structuredContent } = await receive(structured({ a: 0, [KEY]: 1, z: 2 }));
    const back = await putBack(structuredContent as JsonObject, {
      ...{ vault, owner: toCall({}).client.principal.id },
      mayHave: ({ from, upstream }) => from === 'upstream' && upstream === tool.upstream,
    });
    expect(Object.entries(back ?? {})).toEqual([
      ['a', 0],
      [KEY, 1],
      ['z', 2],
    ]);
  });

  test('a token in the name of a member is one that must be kept', async () => {
    const { verdict } = await send({ '{{secret:github-token:aaaaaaaaaaaaaaaa}}': 1 });
    expect(verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('not kept') });
  });
});

describe('harmless', () => {
  test.each<[string, JsonObject]>([
    ['names and numbers', { name: 'Ada', age: 36, at: 1_700_000_000_000, id: 4539578763621487, price: 12.5, ok: true }],
    ['hashes', { list: Array.from({ length: 600 }, (_, i) => `${i}`.padStart(40, 'a1b2c3')) }],
    ['a picture', { type: 'image', mimeType: 'image/png', data: `iVBORw0KGgo${'a7Kq2Zx9'.repeat(200)}` }],
    [
      'words of a list in the order of the alphabet',
      {
        tags: 'above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic'.split(
          ' ',
        ),
      },
    ],
    [
      'tags',
      {
        tags: 'travel food summer family music garden photo winter coffee kitchen dog bird river sunset beach'.split(
          ' ',
        ),
      },
    ],
    ['lone halves of characters', { a: '\ud800', '\udc00': 'b\ud83d' }],
  ])('%s', async (_name, given) => {
    expect((await send(given)).verdict.kind).toBe('allow');
  });
});
