import { describe, expect, test } from 'vitest';
import { findVerifiedKeys } from './verified-keys.ts';

const TOKEN = ['ghp', 'Rk3nV8qLw2TzY6mB1xDc9HsJ4uFa7eGp0oNi'].join('_');
const BODY = Array.from(
  { length: 4 },
  (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c${at}K`,
);
const PEM = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');

describe('a key with a verified format', () => {
  test.each([
    ['of a provider', `token ${TOKEN}.`, TOKEN],
    ['private', `Here it is:\n${PEM}\n`, PEM],
    ['private, as JSON writes it', JSON.stringify({ key: PEM }), JSON.stringify(PEM).slice(1, -1)],
  ])('%s is found', (_, text, key) => expect(findVerifiedKeys(text, '')).toEqual([key]));
});

test.each([
  ['a line of a program', 'const secret = config.enterpriseManagedAuth?.idp?.clientSecret;'],
  ['a schema', 'const OAuthTokensSchema = OAuthTokensSchema2.partial();'],
  ['a password of an example', "login({ user: 'john', password: 'secret123' })"],
  ['an address with a password', 'see `https://user:p%40ss@host`'],
  ['a sample key', 'AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE'],
  ['a word with dashes', 'sk-learn-style-pipeline-for-text-classification'],
])('%s is none', (_, text) => expect(findVerifiedKeys(text, '')).toEqual([]));
