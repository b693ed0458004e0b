import { expect, test } from 'vitest';
import type { Principal } from '../core/principal.ts';
import { type DiscoverySettings, discoveryModeFor, discoverySchema } from './discovery-section.ts';

const ADA: Principal = { id: 'key:ada', kind: 'key', agent: 'notebook', groups: ['staff'] };
const settings = (written: object): DiscoverySettings => discoverySchema.parse(written);
const rules = (...all: object[]) => settings({ rules: all });

test.each<[string, DiscoverySettings, object, string]>([
  ['by default the size decides', settings({}), {}, 'auto'],
  ['for all', settings({ mode: 'on' }), {}, 'on'],
  ['not for clients that search by themselves', settings({ mode: 'on' }), { client: 'claude-code' }, 'off'],
  ['unless a rule names them', rules({ client: 'claude-*', mode: 'on' }), { client: 'claude-code' }, 'on'],
  ['a rule for others does not', rules({ group: 'staff', mode: 'on' }), { client: 'claude-code' }, 'off'],
  ['by client', rules({ client: 'my *', mode: 'on' }), { client: 'my agent' }, 'on'],
  ['by bundle', rules({ bundle: 'rev*', mode: 'off' }), { bundle: 'review' }, 'off'],
  ['a rule for a bundle only there', rules({ bundle: '*', mode: 'off' }), {}, 'auto'],
  ['by caller', rules({ caller: 'key:a*', mode: 'on' }), {}, 'on'],
  ['by the program of the caller', rules({ caller: 'notebook', mode: 'on' }), {}, 'on'],
  ['by group', rules({ group: 'staff', mode: 'on' }), {}, 'on'],
  ['not of another group', rules({ group: 'admin', mode: 'on' }), {}, 'auto'],
  ['all of a rule has to fit', rules({ group: 'staff', client: 'x', mode: 'on' }), {}, 'auto'],
  ['the first that fits', rules({ group: 'staff', mode: 'off' }, { group: 'staff', mode: 'on' }), {}, 'off'],
  ['names are no members of objects', settings({}), { client: 'constructor' }, 'auto'],
])('%s', (_, given, lister, expected) =>
  expect(discoveryModeFor(given, { client: 'test', bundle: undefined, principal: ADA, ...lister })).toBe(expected),
);
