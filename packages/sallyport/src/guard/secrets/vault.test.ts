import { describe, expect, test } from 'vitest';
import { findTokens, toToken } from './vault.ts';

const ID = 'k3qz5ab7w2xn4mde';
const token = toToken('github-token', ID);

describe('a token is found', () => {
  test.each<[string, string, boolean]>([
    ['as it is', token, false],
    ['as a template fills it in', encodeURIComponent(token), true],
    ['as a parser of URLs writes it', encodeURI(token), true],
    ['in small letters', encodeURIComponent(token).toLowerCase(), true],
    ['with its colons encoded', token.replaceAll(':', '%3A'), true],
    ['with some of it encoded', token.replace('{{', '{%7b'), true],
  ])('%s', (_, written, isEncoded) => {
    const found = [{ id: ID, start: 4, end: 4 + written.length, isEncoded }];
    expect(findTokens(`a://${written}/b?c=1`)).toEqual(found);
  });
});

test.each([
  ['encoded twice', encodeURIComponent(encodeURIComponent(token))],
  ['one bracket', encodeURIComponent(token.slice(1))],
  ['another word', encodeURIComponent(token.replace('secret', 'hidden'))],
  ['another id', encodeURIComponent(token.replace('k3', 'K3'))],
])('%s is none', (_, written) => {
  expect(findTokens(written)).toEqual([]);
});
