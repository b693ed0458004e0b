import { expect, test } from 'vitest';
import { reportUnknownBundles } from './lister-rule.ts';

test('a rule for a bundle that is not there is a mistake', () => {
  const said: unknown[] = [];
  const rules = [{ bundle: 'rev*' }, { bundle: 'none' }, { client: 'x' }];
  reportUnknownBundles(rules, ['review'], (path, message) => said.push([path, message]));
  expect(said).toEqual([[['rules', 1, 'bundle'], 'no bundle is called "none"; write the name of one']]);
});
