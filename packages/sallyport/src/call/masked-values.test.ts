import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { toStarterSecrets } from '../config/secrets-section.ts';
import type { Exchange } from '../core/exchange.ts';
import { Answer, Notification } from '../core/message.ts';
import type { KeptSecret } from '../guard/secrets/vault.ts';
import { createMemoryVault } from '../state/memory-vault.ts';
import { createMaskedValues } from './masked-values.ts';

const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const call = toCall({ tool: toTool({ name: 'x', inputSchema: {} }, { upstream: 'hub' }) });
const { client } = call;
const owner = client.principal.id;

function open() {
  const vault = createMemoryVault({ now: () => 0, limits: () => ({ minutes: 1, entries: 100 }) });
  const masked = createMaskedValues({ settings: () => toStarterSecrets('team'), vault });
  const keep = (given: Partial<KeptSecret>): string => {
    const [id = ''] = vault.keep(owner, [
      { value: KEY, kind: 'github-token', from: 'upstream', upstream: 'hub', ...given },
    ]) as readonly string[];
    return `{{secret:github-token:${id}}}`;
  };
  return { masked, keep };
}

describe('to the upstream', () => {
  test('its own value returns, wherever it stands', () => {
    const { masked, keep } = open();
    const token = keep({});
    expect(masked.toUpstream(call, { a: [{ b: `x ${token} ${token}` }], n: 1 })).toEqual({
      a: [{ b: `x ${KEY} ${KEY}` }],
      n: 1,
    });
  });
  test.each<[string, (token: string) => string]>([
    ['as a template fills it in', encodeURIComponent],
    ['as a parser of URLs writes it', encodeURI],
  ])('into a URI it returns encoded where its token is: %s', (_, encode) => {
    const { masked, keep } = open();
    const token = keep({ value: 'a/b?c d' });
    const uri = `https://x.test/${encode(token)}/y?z=${token}`;
    expect(masked.toUpstream(call, { uri })).toEqual({ uri: 'https://x.test/a%2Fb%3Fc%20d/y?z=a/b?c d' });
  });
  test('halves of characters, which no URI holds, are replaced', () => {
    const { masked, keep } = open();
    const uri = encodeURIComponent(keep({ value: 'a\ud800' }));
    expect(masked.toUpstream(call, { uri })).toEqual({ uri: 'a%EF%BF%BD' });
  });
  test.each<[string, Partial<KeptSecret>]>([
    ['of another server', { upstream: 'chat' }],
    ['that the caller left out', { from: 'caller' }],
  ])('one %s stays a token', (_, given) => {
    const { masked, keep } = open();
    expect(masked.toUpstream(call, { a: keep(given) })).toBeUndefined();
  });
  test('one that is gone stops the call', () => {
    const { masked } = open();
    expect(() => masked.toUpstream(call, { a: '{{secret:jwt:abcdefghijklmnop}}' })).toThrow('not kept any longer');
  });
  test('nothing is copied where there is none', () => {
    expect(open().masked.toUpstream(call, { a: 'x' })).toBeUndefined();
  });
});

describe('to the caller', () => {
  test('what was left out of its arguments returns, what a server masked does not', () => {
    const { masked, keep } = open();
    const [own, masks] = [keep({ from: 'caller' }), keep({})];
    const answer = masked.toCaller(call, Answer.result('1', { content: [{ type: 'text', text: `${own} ${masks}` }] }));
    expect((answer as Answer).result).toEqual({ content: [{ type: 'text', text: `${KEY} ${masks}` }] });
  });
});

describe('what is no result of a call', () => {
  const from = { upstream: 'hub', item: 'file:///app/.env' };
  const MASKED = /^\{\{secret:github-token:[a-z2-7]{16}\}\}$/;
  test('a resource', () => {
    const contents = [{ uri: 'file:///app/.env', text: KEY }];
    const answer = open().masked.fromUpstream(from, client, Answer.result('1', { contents })) as Answer;
    expect(answer.result).toEqual({ contents: [{ uri: 'file:///app/.env', text: expect.stringMatching(MASKED) }] });
  });
  test('an error and its data', () => {
    const answer = Answer.error('1', -32000, KEY, { detail: [KEY] });
    const { outcome } = open().masked.fromUpstream(from, client, answer) as Answer;
    expect(outcome).toEqual({
      kind: 'error',
      error: {
        code: -32000,
        message: expect.stringMatching(MASKED),
        data: { detail: [expect.stringMatching(MASKED)] },
      },
    });
  });
  test('words stay the same answer', () => {
    const answer = Answer.error('1', -32601, 'Method not found');
    expect(open().masked.fromUpstream(from, client, answer)).toBe(answer);
  });
});

describe('what a server says while it works', () => {
  const progress = (message: string) =>
    ['notifications/progress', { progressToken: 'abc', progress: 1, message }] as const;
  const log = (data: string) => ['notifications/message', { level: 'info', logger: 'x', data }] as const;
  const pass = (...said: readonly (readonly [string, object])[]): readonly boolean[] => {
    const exchange = { client } as Exchange; // what is watched needs no more
    open().masked.watch({ upstream: 'hub', item: 'x' }, exchange);
    return said.map(([method, params]) => exchange.tell?.(Notification.of(method, { ...params })) !== undefined);
  };
  const [begun, rest] = ['key ghp_1234567890abcdef', 'GHIJKLMNOPqrstuv1234 done'];
  test.each<[string, readonly (readonly [string, object])[], readonly boolean[]]>([
    ['progress', [progress(begun), progress(rest)], [true, false]],
    ['logs', [log(begun), log(rest)], [true, false]],
    ['a log between', [progress(begun), log('step 2 of 3'), progress(rest)], [true, true, false]],
    ['three pieces', [log('ghp_1234567890'), log('abcdef'), log('GHIJKLMNOPqrstuv1234 done')], [true, true, false]],
    ['the rest again', [log(begun), log(rest), log(rest)], [true, false, false]],
  ])('a key that goes on in the next message is kept back: %s', (_, said, expected) => {
    expect(pass(...said)).toEqual(expected);
  });
  test.each<[string, readonly (readonly [string, object])[]]>([
    ['words', [log('reading key-'), log('value pairs of 20 files')]],
    ['another word', [log('loading sk-proj-web'), log('Implementation2 is built')]],
    ['the rest alone', [log(rest), log(rest)]],
  ])('%s pass', (_, said) => {
    expect(pass(...said)).not.toContain(false);
  });
});
