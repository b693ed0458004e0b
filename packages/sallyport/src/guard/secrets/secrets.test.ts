import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toCall, toResult, toTool } from '../../../test/sample-call.ts';
import { resolveSecrets, type SecretSettings, secretsSchema } from '../../config/secrets-section.ts';
import type { Envelope } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import { KEY_HOLDER } from '../../core/principal.ts';
import { createChains, inspect } from '../guard.ts';
import { refusePattern } from './custom-patterns.ts';
import { secrets, secretsInResult } from './secrets.ts';
import type { KeptSecret, SecretVault } from './vault.ts';

const TOKEN = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const CARD = '4532 0151 1283 0366';

function settings(written: object = {}): SecretSettings {
  return resolveSecrets(secretsSchema.parse(written), { servers: ['hub', 'chat'], refusePattern }, (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  });
}

function open(written: object | null = {}, vault: SecretVault = memory()) {
  const now = written === null ? undefined : settings(written);
  const ports = { settings: () => now, vault };
  const outer = secrets(ports);
  const inner = [secretsInResult(ports)];
  return {
    send: (given: JsonObject, to: Partial<Envelope> = {}) => inspect(outer, callTo('hub', { body: given, ...to })),
    receive: (result: JsonObject, to: Partial<Envelope> = {}) => inspect(inner, toResult(callTo('hub', to), result)),
    reads: () => createChains(inner)('result', callTo('hub', {}).snapshot).guards.length > 0,
  };
}

/** As `state/` has it, without its bounds. */
function memory(): SecretVault {
  const kept = new Map<string, KeptSecret>();
  return {
    keep: (owner, given) =>
      given.map((one) => {
        const id = createHash('sha256').update(JSON.stringify(one)).digest('hex').slice(0, 16);
        const letters = id.replace(/[0189]/g, (sign) => 'wxyz'.charAt('0189'.indexOf(sign)));
        kept.set(`${owner} ${letters}`, one);
        return letters;
      }),
    find: (owner, ids) => ids.map((id) => kept.get(`${owner} ${id}`)),
  };
}

function callTo(upstream: string, given: Partial<Envelope>): Envelope {
  return toCall({ tool: toTool({ name: 'run', inputSchema: { type: 'object' } }, { upstream }), ...given });
}

const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });
const other = { ...KEY_HOLDER, id: 'key:other' };

describe('attacks: arguments', () => {
  test.each<[string, object, JsonObject, string]>([
    ['a key asks', {}, { body: `here: ${TOKEN}` }, 'ask'],
    ['a key deep down asks', {}, { a: [{ b: { c: [TOKEN] } }] }, 'ask'],
    ['a card asks', {}, { note: CARD }, 'ask'],
    ['a key is denied', { arguments: { credentials: 'deny' } }, { body: TOKEN }, 'deny'],
    ['a key in pieces', {}, { id: 'AKIAQ7W2ZK5L', rest: 'MN3PXR4T', region: 'eu' }, 'ask'],
    ['a key in a list of pieces', {}, { parts: ['ghp_a7Kq2Zx9', 'Lm4Tp8Rv3Wn6', 'Yb5Hc1Jd0GfQ2w9e'] }, 'ask'],
    ['a key in pieces with labels', {}, { parts: ['part1: ghp_a7Kq2Zx9Lm4', 'part2: Tp8Rv3Wn6Yb5Hc1Jd0'] }, 'ask'],
    [
      'pieces cannot be masked',
      { arguments: { credentials: 'mask' } },
      { a: 'ghp_a7Kq2Zx9Lm4', b: 'Tp8Rv3Wn6Yb5Hc1Jd0' },
      'deny',
    ],
    [
      'base64 in pieces',
      {},
      {
        chunks:
          Buffer.from(`key ${TOKEN}`)
            .toString('base64')
            .match(/.{1,20}/g) ?? [],
      },
      'ask',
    ],
    ['a password by its field', {}, { config: { db_password: 'Tr0ub4dor3' } }, 'ask'],
    [
      'flags of RE2',
      { custom: [{ name: 'customer', pattern: '(?i)c\\-(?P<n>[0-9]{6})\\z' }] },
      { q: 'C-123456' },
      'ask',
    ],
    ['a pattern of our own', { custom: [{ name: 'customer', pattern: 'C-\\d{6}' }] }, { q: 'C-123456' }, 'ask'],
    [
      'a rule for one server',
      { rules: [{ upstream: 'hub', direction: 'arguments', kinds: ['contact'], mode: 'deny' }] },
      { to: 'ann@acme.dev' },
      'deny',
    ],
    [
      'a rule for one field',
      { rules: [{ field: '/headers/*', mode: 'deny' }] },
      { headers: { 'X-Key': TOKEN } },
      'deny',
    ],
  ])('%s', async (_, written, given, kind) => {
    const { verdict } = await open(written).send(given);
    expect(verdict.kind).toBe(kind);
    expect(JSON.stringify(verdict)).not.toMatch(/a7Kq|4532|Tr0ub|Q7W2|123456/);
  });

  test('masked, the server gets a token; the caller may send it again', async () => {
    const { send } = open({ arguments: { credentials: 'mask' } });
    const { rewritten } = await send({ body: `x ${TOKEN} y` });
    expect(rewritten).toEqual({ body: expect.stringMatching(/^x \{\{secret:github-token:[a-z2-7]{16}\}\} y$/) });
    expect((await send(rewritten ?? {})).verdict.kind).toBe('allow');
  });

  test('dropped, nothing brings it back', async () => {
    const { rewritten } = await open({ arguments: { credentials: 'drop' } }).send({ body: TOKEN });
    expect(rewritten).toEqual({ body: '[removed: github-token]' });
  });
});

describe('attacks: results', () => {
  test.each<[string, JsonObject]>([
    ['in a text', text(`token=${TOKEN}`)],
    ['in structured content', { content: [], structuredContent: { a: [{ b: TOKEN }] } }],
    ['in a resource', { content: [{ type: 'resource', resource: { uri: 'x:y', text: TOKEN } }] }],
    ['in _meta', { content: [], _meta: { note: TOKEN } }],
    ['in base64', text(Buffer.from(TOKEN).toString('base64'))],
  ])('a key %s is masked', async (_, result) => {
    const { rewritten } = await open().receive(result);
    expect(JSON.stringify(rewritten)).toMatch(/\{\{secret:github-token:[a-z2-7]{16}\}\}/);
    expect(JSON.stringify(rewritten)).not.toContain('a7Kq');
  });

  test('over several texts the result is withheld', async () => {
    const parts = ['ghp_a7Kq2Zx9Lm4', 'Tp8Rv3Wn6Yb5Hc1Jd0'].map((part) => ({ type: 'text', text: part }));
    expect((await open().receive({ content: parts })).verdict.kind).toBe('deny');
  });

  test.each<[string, readonly string[]]>([
    ['the next begins with the rest', ['key ghp_1234567890abcdef', 'GHIJKLMNOPqrstuv1234 done']],
    ['three items', ['key ghp_1234567890', 'abcdefGHIJ', 'KLMNOPqrstuv1234, and so on']],
    ['a line break between', ['key ghp_1234567890abcdef', '\nGHIJKLMNOPqrstuv1234 done']],
    ['behind a long text', [`${'some words '.repeat(100)}ghp_1234567890abcdef`, 'GHIJKLMNOPqrstuv1234 done']],
  ])('a key over items of a result: %s', async (_, texts) => {
    const { verdict } = await open().receive({ content: texts.map((one) => ({ type: 'text', text: one })) });
    expect(verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('github-token at /content/0/text') });
  });
  test('denied, the result is withheld', async () => {
    const { verdict } = await open({ results: { credentials: 'deny' } }).receive(text(TOKEN));
    expect(verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('github-token at /content/0/text') });
    expect(JSON.stringify(verdict)).not.toContain('a7Kq');
  });

  const marked = toTool(
    {
      name: 'account',
      inputSchema: { type: 'object' },
      outputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          pin: { type: 'string', 'x-sensitive': true },
          cards: { type: 'array', items: { $ref: '#/$defs/card' } },
        },
        $defs: { card: { type: 'object', properties: { code: { type: 'string', writeOnly: true } } } },
      },
    },
    { upstream: 'hub' },
  );
  test('marked fields are masked whatever they hold, in the text beside them too', async () => {
    const structuredContent = { name: 'Ann', pin: 'blue "moon"', cards: [{ code: 'seven' }] };
    const result = { ...text(JSON.stringify(structuredContent)), structuredContent };
    const { rewritten } = await open().receive(result, { tool: marked });
    expect(rewritten?.['structuredContent']).toEqual({
      name: 'Ann',
      pin: expect.stringMatching(/^\{\{secret:sensitive-field:/),
      cards: [{ code: expect.stringMatching(/^\{\{secret:sensitive-field:/) }],
    });
    expect(JSON.stringify(rewritten)).not.toMatch(/blue|moon/);
  });
  test('our _meta key marks fields too', async () => {
    const tool = toTool(
      { name: 'x', inputSchema: {}, _meta: { 'dev.sallyport/sensitive': ['/user/nick'] } },
      { upstream: 'hub' },
    );
    const { rewritten } = await open().receive({ content: [], structuredContent: { user: { nick: 'bob' } } }, { tool });
    expect(JSON.stringify(rewritten)).not.toContain('bob');
  });
});

describe('tokens', () => {
  const token = async (door: ReturnType<typeof open>) => {
    const { rewritten } = await door.receive(text(TOKEN));
    return JSON.stringify(rewritten).match(/\{\{secret:[^}]+\}\}/)?.[0] ?? '';
  };
  test('the same value has the same token', async () => {
    const door = open();
    expect(await token(door)).toBe(await token(door));
  });
  test('one may return to its own server', async () => {
    const door = open();
    expect((await door.send({ body: `a ${await token(door)}` })).verdict.kind).toBe('allow');
  });
  const chat = toTool({ name: 'post', inputSchema: {} }, { upstream: 'chat' });
  test.each([
    ['deny', {}],
    ['ask', { foreign: 'ask' }],
  ])('to another server: %s', async (kind, written) => {
    const door = open(written);
    const { verdict } = await door.send({ body: await token(door) }, { tool: chat });
    expect(verdict).toMatchObject({
      kind,
      reason: expect.stringContaining('came from "hub" and may not go to "chat"'),
    });
  });
  test.each<[string, (token: string) => string]>([
    ['as a template fills it in', encodeURIComponent],
    ['as a parser of URLs writes it', encodeURI],
  ])('percent-encoded in a URI it is the same: %s', async (_, encode) => {
    const door = open();
    const encoded = encode(await token(door));
    const uri = `https://x.test/a/${encoded}/b9?c=${encoded}&d=1`;
    expect((await door.send({ uri })).verdict.kind).toBe('allow');
    const reason = expect.stringContaining('github-token that came from "hub" and may not go to "chat"');
    expect((await door.send({ uri }, { tool: chat })).verdict).toMatchObject({ kind: 'deny', reason });
    const gone = uri.replaceAll(/[a-z2-7]{16}(?=%7D)/g, 'abcdefghijklmnop');
    const notKept = expect.stringContaining('not any longer');
    expect((await door.send({ uri: gone })).verdict).toMatchObject({ kind: 'deny', reason: notKept });
    for (const beside of [TOKEN, encodeURIComponent(`password: hunter2-Hunter2`)])
      expect((await door.send({ uri: `${uri}&e=${beside}` })).verdict.kind).toBe('ask');
  });
  test('another caller has no use for it', async () => {
    const door = open();
    const body = await token(door);
    const client = { ...toCall().client, principal: other };
    expect((await door.send({ body }, { client })).verdict).toMatchObject({ kind: 'deny' });
  });
  test('one whose value is gone is refused', async () => {
    const body = '{{secret:github-token:abcdefghijklmnop}}';
    expect((await open().send({ body })).verdict).toMatchObject({
      kind: 'deny',
      reason: expect.stringContaining('not any longer'),
    });
  });
  test('a vault over a wire is waited for, and one that fails stops the call', async () => {
    const near = memory();
    const far: SecretVault = {
      keep: async (...given) => near.keep(...given),
      find: async (...given) => near.find(...given),
    };
    const door = open({}, far);
    expect((await door.send({ body: await token(door) })).verdict.kind).toBe('allow');
    const broken = open(
      {},
      { keep: () => Promise.reject(new Error('down')), find: () => Promise.reject(new Error('down')) },
    );
    expect((await broken.receive(text(TOKEN))).verdict.kind).toBe('deny');
    expect((await broken.send({ body: '{{secret:x:abcdefghijklmnop}}' })).verdict.kind).toBe('deny');
  });
});

describe('harmless', () => {
  test.each<[string, JsonObject]>([
    ['words', { query: 'how do I rotate a token?', limit: 20 }],
    ['a mail address', { to: 'ann@acme.dev' }],
    ['ids', { id: '123e4567-e89b-42d3-a456-426614174000', sha: '9fceb02d0ae598e95dc970b74767f19372d61af8' }],
    ['words in pieces', { a: 'sk-learn', b: 'pipeline', c: 'forest' }],
    ['nothing', {}],
  ])('%s go out untouched', async (_, given) => {
    expect(await open().send(given)).toEqual({
      verdict: { kind: 'allow' },
      guard: undefined,
      rewritten: undefined,
      cause: undefined,
    });
  });
  test.each<[string, JsonObject]>([
    ['prose', text('Your token has expired. Ask for a new one.')],
    ['words over items', { content: ['see sk-proj-web', 'Implementation2 of the page'].map((one) => ({ text: one })) }],
    ['a name over items', { content: ['in sk-learn', 'Pipeline with 20 steps and v2'].map((one) => ({ text: one })) }],
    ['a sample of the documents', text('aws_access_key_id = AKIAIOSFODNN7EXAMPLE')],
    ['a picture', { content: [{ type: 'image', mimeType: 'image/png', data: `iVBORw0KGgo${btoa(TOKEN)}` }] }],
  ])('%s comes in untouched', async (_, result) => {
    expect((await open().receive(result)).verdict.kind).toBe('allow');
  });
  test('a rule lets a value pass', async () => {
    const door = open({ rules: [{ upstream: 'hub', kinds: ['github-token'], mode: 'allow' }] });
    expect((await door.send({ body: TOKEN })).verdict.kind).toBe('allow');
    expect((await door.receive(text(TOKEN))).verdict.kind).toBe('allow');
  });
  test('switched off, no result is parsed', () => {
    expect(open(null).reads()).toBe(false);
    const off = { credentials: 'allow', financial: 'allow', identity: 'allow', marked: 'allow', custom: 'allow' };
    expect(open({ results: off }).reads()).toBe(false);
    expect(open().reads()).toBe(true);
  });
});

describe('the section', () => {
  const own = (pattern: string) => ({ custom: [{ name: 'a', pattern }] });
  const refused = (written: object) => {
    const problems: string[] = [];
    resolveSecrets(secretsSchema.parse(written), { servers: ['hub'], refusePattern }, (path, message) =>
      problems.push(`${path.join('.')}: ${message}`),
    );
    return problems;
  };
  test.each<[string, object, string]>([
    [
      'a server that is not there',
      { rules: [{ upstream: 'hup', mode: 'allow' }] },
      'rules.0.upstream: matches no server',
    ],
    ['a kind that is none', { rules: [{ kinds: ['githup'], mode: 'allow' }] }, 'rules.0.kinds: "githup" is no kind'],
    ['asking about a result', { rules: [{ mode: 'ask' }] }, 'rules.0.mode: nobody can be asked'],
    ['look-around', { custom: [{ name: 'a', pattern: 'a(?=b)' }] }, 'custom.0.pattern: is no pattern in RE2'],
    ['too many repeats', { custom: [{ name: 'a', pattern: 'a{2000}' }] }, 'custom.0.pattern: is no pattern in RE2'],
    ['an escape of JavaScript', own('[\\u4e00-\\u9fff]{2}-[0-9]{4}'), 'custom.0.pattern: is no pattern in RE2'],
    ['a control character of JavaScript', own('\\cA1'), '(invalid escape sequence); leave out'],
    ['a class that only JavaScript has', own('[^]x'), '(missing closing ]); leave out'],
    ['repeats of repeats', own('(?:a{1000}){1000}'), '(invalid repeat count); leave out'],
    ['a name that is taken', { custom: [{ name: 'jwt', pattern: 'ab' }] }, 'custom.0.name: "jwt" is the name'],
  ])('%s is refused', (_, written, message) => {
    expect(refused(written)).toEqual([expect.stringContaining(message)]);
  });
  test('what RE2 alone reads is taken', async () => {
    const door = open(own('(?i)[\\x{4e00}-\\x{9fff}]{2}-\\Qa.\\E[0-9]{4}'));
    expect((await door.send({ body: '客户-A.1234' })).verdict.kind).toBe('ask');
  });
  test('a pattern nobody can check is refused', () => {
    const problems: string[] = [];
    resolveSecrets(secretsSchema.parse(own('C-[0-9]{6}')), { servers: [] }, (_, message) => problems.push(message));
    expect(problems).toEqual([expect.stringContaining('is no pattern in RE2 syntax')]);
  });
  test('a pattern that JavaScript would take years for is harmless', async () => {
    const door = open({ custom: [{ name: 'slow', pattern: '(a+)+$' }] });
    expect((await door.send({ body: `${'a'.repeat(5_000)}!` })).verdict.kind).toBe('allow');
  });
});

test('a key that is said in pieces, in several notifications of one request, is withheld; another request begins anew', async () => {
  const ports = { settings: () => settings(), vault: memory() };
  const inner = [secretsInResult(ports)];
  const asked = callTo('hub', {});
  const say = async (message: string, during = asked) => {
    const envelope: Envelope = { ...toResult(during, { level: 'info', data: message }), kind: 'server_notification' };
    return (await inspect(inner, envelope)).verdict.kind;
  };
  expect(await say('part1: ghp_a7Kq2Zx9Lm4')).toBe('allow');
  expect(await say('part2: Tp8Rv3Wn6Yb5Hc1Jd0')).toBe('deny');
  expect(await say('part2: Tp8Rv3Wn6Yb5Hc1Jd0', callTo('hub', {}))).toBe('allow');
});
