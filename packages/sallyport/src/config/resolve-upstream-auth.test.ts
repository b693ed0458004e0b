import { expect, test } from 'vitest';
import { KEY_HOLDER, type Principal } from '../core/principal.ts';
import { loadSnapshot } from './load-snapshot.ts';
import { toTokenOwner } from './upstream-auth.ts';

const CLIENT = { clientId: 'sallyport', issuer: 'https://as.test' };
const IDP = { issuer: 'https://idp.test', clientId: 'sso' };

function load(auth: Record<string, unknown>) {
  const text = JSON.stringify({ mcpServers: { files: { url: 'https://files.test/mcp', auth } } });
  return loadSnapshot({ file: undefined, text, env: {}, stateDir: '/nowhere', version: 1 }).servers.get('files')?.auth;
}

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'an enterprise without its provider',
    { type: 'enterprise', ...CLIENT, clientSecretRef: 'env:A' },
    /auth\.idp.*missing/,
  ],
  [
    'an enterprise without a pinned issuer',
    { type: 'enterprise', clientId: 'c', clientSecretRef: 'env:A', idp: IDP },
    /auth\.issuer/,
  ],
  ['an enterprise without a client', { type: 'enterprise', idp: IDP }, /auth\.clientId/],
  [
    'one assertion as everybody’s own',
    { type: 'enterprise', ...CLIENT, clientSecretRef: 'env:A', idp: { ...IDP, assertionRef: 'env:B' } },
    /speaks for one person/,
  ],
  [
    'a secret where its place belongs',
    { type: 'enterprise', ...CLIENT, clientSecretRef: 'env:A', idp: { ...IDP, clientSecretRef: 'hunter2' } },
    /auth\.idp\.clientSecretRef: names a place/,
  ],
  ['a workload without its assertion', { type: 'workload_identity', ...CLIENT }, /auth\.assertionRef.*missing/],
  [
    'a workload whose issuer is not pinned',
    { type: 'workload_identity', clientId: 'c', assertionRef: 'file:/a' },
    /auth\.issuer/,
  ],
  ['a provider for another type', { type: 'oauth', idp: IDP }, /auth\.idp.*no meaning/],
  ['proofs for a static secret', { type: 'static', secretRef: 'env:A', dpop: 'always' }, /auth\.dpop.*no meaning/],
  [
    'assumed endpoints for a machine',
    { type: 'client_credentials', ...CLIENT, clientSecretRef: 'env:A', defaultEndpoints: true },
    /no meaning/,
  ],
])('%s is refused at load', (_, auth, message) => {
  let text = '';
  try {
    load(auth);
  } catch (error) {
    text = JSON.stringify(error, Object.getOwnPropertyNames(error));
  }
  expect(text).toMatch(message);
  expect(text).not.toContain('hunter2');
});

test.each<[Record<string, unknown>, Record<string, unknown>]>([
  [{ type: 'oauth' }, { tokens: 'principal', dpop: 'auto', defaultEndpoints: false }],
  [
    { type: 'workload_identity', ...CLIENT, assertionRef: 'file:/a' },
    { tokens: 'shared', assertionRef: 'file:/a' },
  ],
  [
    { type: 'enterprise', ...CLIENT, clientSecretRef: 'env:A', idp: { ...IDP, scopes: ['email'] } },
    { tokens: 'principal', idp: { ...IDP, scopes: ['email'], clientSecretRef: undefined } },
  ],
  [
    {
      type: 'enterprise',
      ...CLIENT,
      clientSecretRef: 'env:A',
      tokens: 'shared',
      idp: { ...IDP, assertionRef: 'env:B' },
    },
    { tokens: 'shared' },
  ],
])('%j', (auth, resolved) => {
  expect(load(auth)).toMatchObject(resolved);
});

test('an exchanged token is for one program and the groups of now; a sign-in is the person’s', () => {
  const ada: Principal = { id: 'oauth:https://idp.test#ada', kind: 'oauth', agent: 'one', groups: ['a', 'b'] };
  const callers = [ada, { ...ada, agent: 'two' }, { ...ada, groups: ['a'] }];
  const ownersOf = (auth: Record<string, unknown>) =>
    new Set(callers.map((caller) => toTokenOwner(load(auth), caller)));
  expect(ownersOf({ type: 'token_exchange', ...CLIENT, privateKeyRef: 'env:K' }).size).toBe(3);
  expect(ownersOf({ type: 'oauth' })).toEqual(new Set([ada.id]));
  expect(toTokenOwner(load({ type: 'oauth' }), KEY_HOLDER)).toBe('local');
});
