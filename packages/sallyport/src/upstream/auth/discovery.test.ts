import { expect, test } from 'vitest';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import { NO_CHALLENGE, parseChallenge, toScopes, uniteScopes } from './challenge.ts';
import { discover } from './discovery.ts';

const URL_OF_SERVER = 'https://mcp.test/v1/mcp';
const ISSUER = 'https://as.test/tenant';
const AUTH = { type: 'oauth', issuer: undefined, resource: undefined } as unknown as UpstreamAuth;
const ABOUT = { resource: URL_OF_SERVER, authorization_servers: [ISSUER], scopes_supported: ['read'] };
const SERVER = { issuer: ISSUER, token_endpoint: 'https://as.test/token', code_challenge_methods_supported: ['S256'] };

function look(documents: Record<string, unknown>, more: { auth?: Partial<UpstreamAuth>; challenge?: string } = {}) {
  const asked: string[] = [];
  const found = discover({
    url: URL_OF_SERVER,
    auth: { ...AUTH, ...more.auth },
    challenge: more.challenge === undefined ? NO_CHALLENGE : parseChallenge(more.challenge),
    fetch: async (place) => {
      asked.push(place);
      const document = documents[place];
      return document === undefined ? new Response('', { status: 404 }) : Response.json(document);
    },
  });
  return { asked, found };
}

test('places are asked in the order of the specification', async () => {
  const last = 'https://as.test/tenant/.well-known/openid-configuration';
  const { asked, found } = look({
    'https://mcp.test/.well-known/oauth-protected-resource': { ...ABOUT, resource: 'https://mcp.test/' },
    [last]: SERVER,
  });
  expect((await found).server.issuer).toBe(ISSUER);
  expect(asked).toEqual([
    'https://mcp.test/.well-known/oauth-protected-resource/v1/mcp',
    'https://mcp.test/.well-known/oauth-protected-resource',
    'https://as.test/.well-known/oauth-authorization-server/tenant',
    'https://as.test/.well-known/openid-configuration/tenant',
    last,
  ]);
});

test('the challenge says where, and the resource is the one of the document', async () => {
  const documents = {
    'https://mcp.test/about': ABOUT,
    'https://as.test/.well-known/oauth-authorization-server/tenant': SERVER,
  };
  const { asked, found } = look(documents, { challenge: 'Bearer resource_metadata="https://mcp.test/about"' });
  expect(await found).toMatchObject({ resource: URL_OF_SERVER, scopes: ['read'] });
  expect(asked[0]).toBe('https://mcp.test/about');
});

const WELL_KNOWN = 'https://mcp.test/.well-known/oauth-protected-resource/v1/mcp';
const METADATA = 'https://as.test/.well-known/oauth-authorization-server/tenant';

test.each([
  ['another resource', { [WELL_KNOWN]: { ...ABOUT, resource: 'https://evil.test/mcp' } }, /another resource/],
  ['a resource below', { [WELL_KNOWN]: { ...ABOUT, resource: `${URL_OF_SERVER}/deeper` } }, /another resource/],
  [
    'a name that only begins alike',
    { [WELL_KNOWN]: { ...ABOUT, resource: 'https://mcp.test/v1/m' } },
    /another resource/,
  ],
  ['no resource', { [WELL_KNOWN]: { authorization_servers: [ISSUER] } }, /another resource/],
  ['another issuer', { [WELL_KNOWN]: ABOUT, [METADATA]: { ...SERVER, issuer: 'https://honest.test' } }, /not used/],
  ['an issuer with a slash more', { [WELL_KNOWN]: ABOUT, [METADATA]: { ...SERVER, issuer: `${ISSUER}/` } }, /not used/],
  ['no issuer', { [WELL_KNOWN]: ABOUT, [METADATA]: { token_endpoint: 'https://as.test/token' } }, /not used/],
  ['no metadata', { [WELL_KNOWN]: ABOUT }, /has no metadata/],
])('%s is refused', async (_, documents, message) => {
  await expect(look(documents).found).rejects.toMatchObject({
    code: 'upstream_protocol',
    message: expect.stringMatching(message),
  });
});

test('a pinned issuer counts whatever the server names', async () => {
  const pinned = 'https://pinned.test';
  const documents = {
    [WELL_KNOWN]: { ...ABOUT, authorization_servers: ['https://evil.test'] },
    'https://pinned.test/.well-known/oauth-authorization-server': { ...SERVER, issuer: pinned },
  };
  const { asked, found } = look(documents, { auth: { issuer: pinned } });
  expect((await found).server.issuer).toBe(pinned);
  expect(asked.join()).not.toContain('evil');
});

const NO_METADATA = { auth: { defaultEndpoints: true } };

test('a server of 2025-03-26 without any metadata is found at its root, where the operator says so', async () => {
  const { found } = look({}, NO_METADATA);
  expect(await found).toMatchObject({
    isAssumed: true,
    resource: URL_OF_SERVER,
    server: {
      issuer: 'https://mcp.test',
      authorization_endpoint: 'https://mcp.test/authorize',
      token_endpoint: 'https://mcp.test/token',
      registration_endpoint: 'https://mcp.test/register',
    },
  });
});

test.each<[string, Record<string, unknown>, { auth?: Partial<UpstreamAuth>; challenge?: string }]>([
  ['by default', {}, {}],
  ['where the resource names a server', { [WELL_KNOWN]: ABOUT }, NO_METADATA],
  ['where the resource has metadata that names none', { [WELL_KNOWN]: { resource: URL_OF_SERVER } }, NO_METADATA],
  [
    'where the challenge names metadata',
    {},
    { ...NO_METADATA, challenge: 'Bearer resource_metadata="https://mcp.test/x"' },
  ],
  ['where an issuer is pinned', {}, { auth: { defaultEndpoints: true, issuer: ISSUER } }],
])('no endpoints are assumed %s', async (_, documents, more) => {
  await expect(look(documents, more).found).rejects.toMatchObject({
    code: 'upstream_protocol',
    message: expect.stringContaining('has no metadata'),
  });
});

test('metadata without PKCE is no way round it: nothing is assumed beside what is there', async () => {
  const silent = { issuer: 'https://mcp.test', token_endpoint: 'https://mcp.test/t' };
  const { found } = look({ 'https://mcp.test/.well-known/oauth-authorization-server': silent }, NO_METADATA);
  expect(await found).toMatchObject({ isAssumed: false, server: { token_endpoint: 'https://mcp.test/t' } });
});

test.each([
  ['Bearer realm="x"', false],
  ['DPoP algs="ES256"', true],
  ['Bearer realm="x", DPoP algs="ES256"', true],
  ['Bearer error_description="no dpop here"', false],
])('%s: tokens bound to a key are taken: %s', (header, dpop) => {
  expect(parseChallenge(header).dpop).toBe(dpop);
});

test('scopes that are none are left out, and their number is bounded', () => {
  expect(toScopes('files:read "quoted" über https://x.test/auth/a')).toEqual(['files:read', 'https://x.test/auth/a']);
  const many = Array.from({ length: 90 }, (_, i) => `a${i}`);
  const others = Array.from({ length: 90 }, (_, i) => `b${i}`);
  expect(uniteScopes(many, others)).toEqual([...many, ...others.slice(0, 10)]);
});
