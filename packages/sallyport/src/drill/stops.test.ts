import { expect, test } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { whyHeld } from './stops.ts';

const found = (...findings: readonly (readonly [string, 'block' | 'review'])[]) =>
  findings.map(([id, tier]) => ({ id, tier }));
const related = [{ server: 'vault', name: 'store' }];

test.each<[string, JsonObject, readonly string[]]>([
  [
    'what is only shown holds nothing',
    { state: 'new', findings: found(['conceals', 'review'], ['conceals-from-user', 'block']), related: [] },
    ['conceals-from-user'],
  ],
  [
    'a rival is named where competing with it holds',
    { state: 'new', findings: found(['shadow-wants-all-calls', 'block'], ['wants-all-calls', 'review']), related },
    ['shadow-wants-all-calls', 'competes with vault tools/store'],
  ],
  [
    'a rival is not named where the pair is only shown',
    { state: 'new', findings: found(['imitates-prompt', 'block'], ['shadow-same-meaning', 'review']), related },
    ['imitates-prompt'],
  ],
  [
    'what is new is held for that, and stays so for what was found',
    { state: 'new', findings: found(['parameter-asks-conversation', 'review']), related: [] },
    ['new definition', 'parameter-asks-conversation'],
  ],
  ['what is new and harmless', { state: 'new', findings: [], related: [] }, ['new definition']],
  [
    'what changed is held for that and for what is new in it',
    { state: 'changed', findings: found(['conceals', 'review'], ['conceals-from-user', 'block']), related: [] },
    ['changed definition', 'conceals-from-user'],
  ],
])('%s', (_, difference, why) => {
  expect(whyHeld(difference)).toEqual(why);
});
