import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { toStarterSecrets } from '../config/secrets-section.ts';
import { Answer } from '../core/message.ts';
import type { KeptSecret } from '../guard/secrets/vault.ts';
import { createMemoryVault } from '../state/memory-vault.ts';
import { createMaskedValues } from './masked-values.ts';

const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const call = toCall({ tool: toTool({ name: 'x', inputSchema: {} }, { upstream: 'hub' }) });
const owner = call.client.principal.id;

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
