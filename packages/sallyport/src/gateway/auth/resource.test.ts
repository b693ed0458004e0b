import { describe, expect, test } from 'vitest';
import type { OAuthSettings } from '../../config/auth-settings.ts';
import { FaultError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { type Callers, createCallers } from './callers.ts';

const ISSUER = 'https://login.example.com';
const ORIGIN = 'https://mcp.example.com';

function open(change: Partial<OAuthSettings> = {}): Callers {
  const issuer = {
    issuer: ISSUER,
    audience: [],
    jwksUri: undefined,
    scopesClaim: 'scope',
    groupsClaim: undefined,
    personClaim: 'sub',
    attributes: {},
    privateNetwork: false,
  };
  const oauth = {
    publicUrl: ORIGIN,
    issuers: [issuer],
    requiredScopes: ['mcp:use'],
    impliedScopes: {},
    dpop: 'refused' as const,
    ...change,
  };
  const ports = { laptopKey: undefined, keys: undefined, clock: { now: () => 0 }, log: silentLog };
  const callers = createCallers({ keys: false, oauth, mtls: undefined }, ports);
  callers.listensAt(['http://127.0.0.1:7411', 'http://localhost:7411']);
  return callers;
}

describe('metadata', () => {
  const get = (url: string, callers = open()) => {
    const found = callers.metadata({ method: 'GET', url, headers: { host: 'mcp.example.com' } });
    return found === undefined ? undefined : (JSON.parse(found.json) as Record<string, unknown>);
  };
  const WELL_KNOWN = '/.well-known/oauth-protected-resource';

  test.each([
    ['', '/mcp'],
    ['/mcp', '/mcp'],
    ['/sse', '/sse'],
    ['/servers/files/mcp', '/servers/files/mcp'],
    ['/bundles/team/mcp', '/bundles/team/mcp'],
    ['/api', '/api'],
  ])('of %j', (path, resource) => {
    expect(get(WELL_KNOWN + path)).toEqual({
      resource: ORIGIN + resource,
      authorization_servers: [ISSUER],
      scopes_supported: ['mcp:use'],
      bearer_methods_supported: ['header'],
      resource_name: 'Sallyport',
    });
  });

  test.each(['/nothing', 'x', '/servers/mcp', '/servers/a/b/mcp', '/mcp/../x'])('of %j is none', (path) => {
    expect(get(WELL_KNOWN + path)).toBeUndefined();
  });

  test('never asks for offline_access', () => {
    expect(get(WELL_KNOWN, open({ requiredScopes: ['offline_access'] }))).not.toHaveProperty('scopes_supported');
  });

  test('is where the challenge of a 401 says', () => {
    const callers = open();
    const fault = new FaultError('unauthenticated', 'no');
    expect(callers.challenge(fault, { url: '/servers/files/mcp?x', headers: { host: 'evil.example' } })).toBe(
      `Bearer realm="sallyport", scope="mcp:use", resource_metadata="${ORIGIN}${WELL_KNOWN}/servers/files/mcp"`,
    );
    expect(callers.challenge(fault, { url: '/v0.1/servers', headers: {} })).toContain(`${WELL_KNOWN}/mcp"`);
    expect(callers.challenge(new FaultError('not_found', 'no'), { url: '/mcp', headers: {} })).toBeUndefined();
  });

  test('speaks of the address the client used, when that is one of ours', () => {
    const callers = open({ publicUrl: undefined });
    for (const [host, origin] of [
      ['localhost:7411', 'http://localhost:7411'],
      ['127.0.0.1:7411', 'http://127.0.0.1:7411'],
      ['localhost:9999', 'http://127.0.0.1:7411'],
    ] as const) {
      const found = callers.metadata({ method: 'GET', url: WELL_KNOWN, headers: { host } });
      expect(found?.json).toContain(`"resource":"${origin}/mcp"`);
    }
  });
});
