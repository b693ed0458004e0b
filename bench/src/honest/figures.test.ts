import { expect, test } from 'vitest';
import type { Outcome } from './compare.ts';
import { casesOf, type HonestRow, toFigures } from './figures.ts';
import type { TaskRun } from './measure-tasks.ts';

const call = (run: TaskRun, task: string, kind: Outcome['kind']): HonestRow => ({
  table: 'calls',
  run,
  task,
  step: 0,
  call: 'files.read_text_file',
  outcome: kind === 'same' ? { kind } : { kind, reason: 'R' },
  isError: false,
});
const file = (kind: Outcome['kind']): HonestRow => ({
  table: 'files',
  file: 'a.js',
  outcome: kind === 'same' ? { kind } : { kind, reason: 'R' },
});
const measured = (rows: readonly HonestRow[], name: string) => toFigures(rows).find((one) => one.name === name)?.value;

test('results count with the settings of a new user: files, and calls of the run laptop', () => {
  const rows = [file('same'), file('altered'), call('laptop', 'a', 'altered'), call('team', 'a', 'altered')];
  expect(measured(rows, 'honest.altered')).toBe(2);
  expect(measured(rows, 'honest.withheld')).toBe(0);
  expect(measured([...rows, file('warned')], 'honest.warned')).toBe(0.25);
});

test('a call that did not run was asked about, whoever could have allowed it', () => {
  const rows = [
    call('team', 'a', 'asked'),
    call('team', 'a', 'refused'),
    call('team', 'b', 'same'),
    call('team', 'b', 'withheld'),
    call('laptop', 'a', 'same'),
  ];
  expect(measured(rows, 'honest.asked.team')).toBe(0.5);
  expect(measured(rows, 'honest.tasks_asked.team')).toBe(0.5);
  expect(measured(rows, 'honest.asked.laptop')).toBe(0);
  expect(casesOf(rows, 'honest.asked.team')).toHaveLength(2);
});

test('what was not measured is null and does not hold', () => {
  expect(toFigures([]).every(({ value, holds }) => value === null && !holds)).toBe(true);
  const skipped: HonestRow = { table: 'servers', server: 's', version: 's@1', reason: 'it ended with 1' };
  expect(measured([skipped], 'honest.tools_missing')).toBeNull();
});

test('missing tools and alarms of the block tier are counted by definition', () => {
  const server: HonestRow = { table: 'servers', server: 's', version: 's@1', tools: 3 };
  const missing: HonestRow = { table: 'missing', server: 's', item: 'tools/a', reason: 'R' };
  expect(measured([server, missing], 'honest.tools_missing')).toBe(1);
  expect(measured([server, missing], 'honest.block_alarms')).toBe(0);
  expect(() => casesOf([], 'honest.other')).toThrow('there is no figure "honest.other"');
});

test('the drill counts threats that are contained', () => {
  const threat = (contained: boolean): HonestRow => ({ table: 'drill', threat: 't', contained });
  const rows = [...Array.from({ length: 14 }, () => threat(true)), threat(false)];
  expect(toFigures(rows).find(({ name }) => name === 'honest.drill_default')).toMatchObject({ value: 14, holds: true });
});
