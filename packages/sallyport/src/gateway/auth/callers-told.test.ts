import { describe, expect, test } from 'vitest';
import type { AuthSettings, OAuthSettings } from '../../config/auth-settings.ts';
import type { ApiKey } from '../../core/key-directory.ts';
import { silentLog } from '../../core/log.ts';
import { createCallers } from './callers.ts';

/** What a caller that is not let in is told, and the operator. */

const OAUTH = {
  ...{ publicUrl: 'https://mcp.example.com', issuers: [], requiredScopes: [], impliedScopes: {}, dpop: 'refused' },
} as unknown as OAuthSettings;

function open(settings: Partial<AuthSettings>, keys = new Map<string, ApiKey>()) {
  const logged: object[] = [];
  const callers = createCallers({ keys: false, oauth: undefined, mtls: undefined, ...settings } as AuthSettings, {
    ...{ laptopKey: 'sp_laptop', clock: { now: () => 5 } },
    keys: { version: 1, find: (digest: string) => keys.get(digest) ?? keys.get('any'), used() {} },
    log: { ...silentLog, info: (fields: object) => void logged.push(fields) },
  });
  callers.listensAt(['http://127.0.0.1:7411']);
  const ask = (authorization?: string, url = '/mcp') =>
    callers.authenticate({ method: 'POST', url, headers: { authorization }, socket: {} } as never);
  return { ask, callers, logged };
}

const missing = (text: string) => expect.objectContaining({ code: 'unauthenticated', message: text });

describe('a caller without a credential is told what is needed', () => {
  test.each<[string, Partial<AuthSettings>, string]>([
    [
      'a key',
      { keys: true, oauth: OAUTH },
      'Sallyport needs the header "Authorization: Bearer <key>". Whoever started it has the key.',
    ],
    ['a token', { oauth: OAUTH }, 'Sallyport needs the header "Authorization: Bearer <access token>".'],
    ['a certificate', {}, 'Sallyport needs a client certificate.'],
  ])('%s', (_, settings, text) => {
    expect(() => open(settings).ask()).toThrow(missing(text));
    expect(() => open(settings).ask('Basic abc')).toThrow(missing(text));
  });
});

describe('a caller with a wrong credential is told why', () => {
  test.each<[Partial<AuthSettings>, string]>([
    [{ keys: true }, 'Sallyport was given a key that is not its own. Whoever started it has the key.'],
    [{ oauth: OAUTH }, 'Sallyport was given something that is no access token.'],
  ])('%j', (settings, text) => {
    expect(() => open(settings).ask('Bearer sp_other')).toThrow(missing(text));
  });

  test.each(['Bearer a b', 'bearer "x"', 'DPoP é'])('the header %j is malformed', (header) => {
    expect(() => open({ keys: true }).ask(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('a key under the scheme of proofs is no key', () => {
    expect(() => open({ keys: true }).ask('DPoP sp_laptop')).toThrow(missing(expect.stringContaining('not its own')));
  });
});

test.each([
  [4, false],
  [5, false],
  [6, true],
])('a key that ends at %d, asked at 5, is let in: %s', (expiresAt, isIn) => {
  const key = { id: 'k', name: 'k', expiresAt, groups: [], scopes: undefined } as unknown as ApiKey;
  const { ask, callers } = open({ keys: true }, new Map([['any', key]]));
  if (!isIn) expect(() => ask('Bearer sp_x')).toThrow(missing('The key has expired. The operator makes a new one.'));
  else expect(callers.isCurrent(ask('Bearer sp_x') as never)).toBe(true);
});
