import { expect, test } from 'vitest';
import { toStarterSafety } from '../config/argument-safety-section.ts';
import { STARTER_SETS } from '../config/policy-section.ts';
import { STARTER_FLOWS } from '../config/taint-section.ts';
import { toSetTable } from './set-table.ts';

const rows = new Map(toSetTable().map((row) => [row.door, row]));

test('every door has a cell for each set, and a cost', () => {
  for (const { sets, cost, setting } of rows.values()) {
    expect(Object.keys(sets)).toEqual([...STARTER_SETS]);
    expect([cost, setting].every((text) => text.length > 0)).toBe(true);
  }
});

test.each(STARTER_SETS)('%s: the cells name what is in force, and nothing else', (set) => {
  const taint = rows.get('taint')?.sets[set].action ?? '';
  for (const { name, action } of STARTER_FLOWS[set]) expect(taint).toMatch(new RegExp(`${action}: [^;]*\\b${name}\\b`));
  const named = taint.split(/[;,]/).map((part) => part.replace(/^.*: /, '').trim());
  expect(named.sort()).toEqual(STARTER_FLOWS[set].map(({ name }) => name).sort());
  const safety = rows.get('argument safety')?.sets[set].action ?? '';
  for (const [danger, action] of Object.entries(toStarterSafety(set).dangers))
    if (danger !== 'outsideRoots') expect(safety.includes(danger), danger).toBe(action !== 'allow');
});
