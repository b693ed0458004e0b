import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { loadSnapshot } from './load-snapshot.ts';

function load(auth: unknown) {
  const text = JSON.stringify({ gateway: { auth } });
  return loadSnapshot({ file: '/etc/sallyport/sallyport.json', text, env: {}, stateDir: '/tmp/x', version: 1 }).gateway
    .auth;
}

function refusal(auth: unknown): string {
  try {
    load(auth);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(FaultError);
    return (error as FaultError).message;
  }
}

const issuer = 'https://login.example.com';
const files = { ca: 'ca.pem', cert: '/x/cert.pem', key: 'key.pem' };

test('the old words stand for what they stood for', () => {
  expect(load('key')).toBe('key');
  expect(load('none')).toBe('none');
  expect(load(undefined)).toBe('key');
});

test('an object is filled with defaults; paths start at the file', () => {
  expect(
    load({ oauth: { issuers: [{ issuer, audience: 'api://x' }], publicUrl: 'https://mcp.example.com/' }, mtls: files }),
  ).toEqual({
    keys: true,
    oauth: {
      publicUrl: 'https://mcp.example.com',
      issuers: [
        {
          issuer,
          audience: ['api://x'],
          jwksUri: undefined,
          scopesClaim: 'scope',
          groupsClaim: undefined,
          personClaim: 'sub',
          attributes: {},
          privateNetwork: false,
        },
      ],
      requiredScopes: [],
      impliedScopes: {},
      dpop: 'accepted',
    },
    mtls: {
      ca: '/etc/sallyport/ca.pem',
      cert: '/x/cert.pem',
      key: '/etc/sallyport/key.pem',
      required: false,
      identities: undefined,
    },
  });
});

describe('what would let in nobody or the wrong ones is refused', () => {
  test.each<[unknown, string]>([
    ['token', 'gateway.auth: expected "key", "none" or an object'],
    [{ keys: false }, 'gateway.auth: lets nobody in'],
    [{ oauht: {} }, 'gateway.auth.oauht: unknown key; did you mean "oauth"?'],
    [{ oauth: { issuers: [] } }, 'gateway.auth.oauth.issuers: must be at least 1'],
    [
      { oauth: { issuers: [{ issuer, jwksUrl: 'x' }] } },
      'gateway.auth.oauth.issuers.0.jwksUrl: unknown key; did you mean "jwksUri"?',
    ],
    [{ oauth: { issuers: [{ issuer: 'login' }] } }, 'gateway.auth.oauth.issuers.0.issuer: no URL'],
    [{ oauth: { issuers: [{ issuer: 'http://login.example.com' }] } }, 'not https://'],
    [{ oauth: { issuers: [{ issuer: 'http://10.0.0.1' }] } }, 'not https://'],
    [{ oauth: { issuers: [{ issuer: `${issuer}?x` }] } }, 'holds a query'],
    [{ oauth: { issuers: [{ issuer: 'https://a:b@login.example.com' }] } }, 'holds a user name'],
    [{ oauth: { issuers: [{ issuer, jwksUri: 'http://169.254.169.254/keys' }] } }, 'issuers.0.jwksUri: not https://'],
    [{ oauth: { issuers: [{ issuer }, { issuer }] } }, 'stands twice'],
    [{ oauth: { issuers: [{ issuer }], requiredScopes: ['a b'] } }, 'expected a scope'],
    [{ oauth: { issuers: [{ issuer }], requiredScopes: ['offline_access'] } }, 'no scope of a resource'],
    [{ oauth: { issuers: [{ issuer }], publicUrl: 'http://mcp.example.com' } }, 'publicUrl: not https://'],
    [{ mtls: { ca: 'x' } }, 'gateway.auth.mtls.cert: expected text'],
    [{ mtls: { ...files, identities: [{ certificate: 'robot' }] } }, 'expected URI:…'],
    [{ mtls: { ...files, identities: [{ certificate: 'CN=a' }, { certificate: 'CN=a' }] } }, 'stands twice'],
  ])('%j', (auth, message) => expect(refusal(auth)).toContain(message));

  test.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'https://login.example.com/realms/a'])(
    'not %s',
    (text) => {
      expect(refusal({ oauth: { issuers: [{ issuer: text }] } })).toBe('');
    },
  );
});
