import { expect, test } from 'vitest';
import type { Principal } from '../core/principal.ts';
import { isSameCaller, keepsRights } from './same-caller.ts';

const ALICE: Principal = {
  id: 'oauth:https://login.example.com#alice',
  kind: 'oauth',
  agent: 'editor',
  groups: ['dev', 'ops'],
  scopes: ['mcp:use'],
  attributes: { tenant: 'acme' },
  expiresAt: 1,
};

test.each<[string, Partial<Principal>]>([
  ['the same', {}],
  ['a newer token', { expiresAt: 2 }],
  ['more scopes, as after a step-up', { scopes: ['mcp:admin', 'mcp:use'] }],
  ['no limit by scopes', { scopes: undefined }],
  ['the groups in another order', { groups: ['ops', 'dev'] }],
])('goes on: %s', (_, change) => {
  expect(isSameCaller(ALICE, { ...ALICE, ...change })).toBe(true);
  expect(keepsRights(ALICE, { ...ALICE, ...change })).toBe(true);
});

test.each<[string, Partial<Principal>]>([
  ['other scopes', { scopes: ['mcp:admin'] }],
  ['no scopes left', { scopes: [] }],
  ['a group less', { groups: ['dev'] }],
  ['a group more: another sight of everything', { groups: ['dev', 'ops', 'admin'] }],
  ['another attribute', { attributes: { tenant: 'evil' } }],
  ['no attributes', { attributes: undefined }],
  ['an attribute more', { attributes: { tenant: 'acme', repository: 'x' } }],
])('begins anew: %s', (_, change) => {
  expect(keepsRights(ALICE, { ...ALICE, ...change })).toBe(false);
});

test('who was not limited by scopes must not become so on the way', () => {
  expect(keepsRights({ ...ALICE, scopes: undefined }, ALICE)).toBe(false);
  expect(keepsRights({ ...ALICE, scopes: [] }, ALICE)).toBe(true);
});

test.each<[string, Partial<Principal>]>([
  ['another person', { id: 'oauth:https://login.example.com#bob' }],
  ['another issuer', { id: 'oauth:https://other.example.com#alice' }],
  ['another program of the person', { agent: 'browser' }],
])('somebody else: %s', (_, change) => {
  expect(isSameCaller(ALICE, { ...ALICE, ...change })).toBe(false);
});
