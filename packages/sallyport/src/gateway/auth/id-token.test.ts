import { describe, expect, test } from 'vitest';
import { isIdToken } from './id-token.ts';

const BOTH = { iss: 'https://login.example.com', sub: 'alice', aud: 'app-1', iat: 1, exp: 2 };

describe('ID tokens, as issuers write them', () => {
  test.each<[string, Record<string, unknown>]>([
    ['with the hash of an access token', { at_hash: 'x' }],
    ['with the hash of a code', { c_hash: 'x', scope: 'openid' }],
    ['with the hash of a state', { s_hash: 'x', client_id: 'app-1' }],
    ['of Cognito', { token_use: 'id', 'cognito:username': 'alice' }],
    ['of Keycloak', { typ: 'ID', azp: 'app-1', scope: 'openid' }],
    ['for the client that asked for it', { azp: 'app-1' }],
    ['for the client that asked for it, as a list', { aud: ['app-1'], azp: 'app-1' }],
    ['with the nonce of a sign-in', { nonce: 'n' }],
    ['with a nonce and a client', { nonce: 'n', client_id: 'app-1' }],
    ['of Okta', { auth_time: 1, amr: ['pwd'], idp: '00o' }],
    ['of Auth0', { nickname: 'alice', picture: 'https://a.test/p', sid: 's' }],
    ['of Entra ID', { preferred_username: 'a@b.test', oid: 'o', tid: 't', ver: '2.0', roles: ['reader'] }],
    ['of Google, for another app of its project', { azp: 'app-2', email: 'a@b.test', email_verified: true }],
  ])('%s', (_, claims) => {
    expect(isIdToken({ ...BOTH, ...claims } as never, { isDeclared: false, scopesClaim: 'scope' })).toBe(true);
  });
});

describe('access tokens, as issuers write them', () => {
  test.each<[string, Record<string, unknown>, { isDeclared?: boolean; scopesClaim?: string }?]>([
    ['of an own issuer, with nothing', {}],
    ['of an own issuer, with a name and groups', { name: 'Alice', email: 'a@b.test', groups: ['dev'] }],
    ['of RFC 9068, with the sign-in', { client_id: 'c', auth_time: 1, acr: '1', amr: ['pwd'] }, { isDeclared: true }],
    ['of RFC 9068, with a nonce', { nonce: 'n' }, { isDeclared: true }],
    ['with scopes, of an app for itself', { azp: 'app-1', scp: 'use' }],
    ['of Keycloak, before 24', { typ: 'Bearer', nonce: 'n', azp: 'cli', sid: 's', preferred_username: 'alice' }],
    ['of Keycloak, with its names', { typ: 'Bearer', azp: 'app-1', acr: '1', email_verified: true }],
    ['of Cognito', { token_use: 'access', client_id: 'c', auth_time: 1 }],
    ['of Entra ID', { scp: 'use', azp: 'c', preferred_username: 'a@b.test' }],
    ['of Entra ID, for an app', { azp: 'c', roles: ['reader'], oid: 'o', tid: 't' }],
    ['of Okta', { cid: 'c', scp: ['use'], auth_time: 1 }],
    ['of Auth0', { azp: 'c', scope: 'openid profile use' }],
    ['with scopes in a claim that is named', { amr: ['pwd'], permissions: ['use'] }, { scopesClaim: 'permissions' }],
    ['with a client and the sign-in', { client_id: 'c', auth_time: 1, sid: 's' }],
  ])('%s', (_, claims, { isDeclared = false, scopesClaim = 'scope' } = {}) => {
    expect(isIdToken({ ...BOTH, ...claims } as never, { isDeclared, scopesClaim })).toBe(false);
  });
});
