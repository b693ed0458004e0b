import { expect, test } from 'vitest';
import { Answer } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { TaskOwners } from './task-owners.ts';

const person = (id: string) => ({ id }) as Principal;
const [anna, ben] = [person('anna'), person('ben')];

test.each([
  ['2025-11-25', { task: { taskId: '1', status: 'working' } }],
  ['SEP-2663', { resultType: 'task', taskId: '1', status: 'working' }],
])('a task as %s starts one is of whoever started it', (_, result) => {
  const owners = new TaskOwners();
  owners.note('s', Answer.result('1', result), anna);
  expect(owners.isOf('s', '1', anna)).toBe(true);
  expect(owners.isOf('s', '1', ben)).toBe(false);
  expect(owners.isOf('s', '1', { ...anna, agent: 'another program' })).toBe(false);
  expect(owners.isOf('other', '1', ben)).toBe(true);
});

test('a list lacks the tasks of others', () => {
  const owners = new TaskOwners();
  owners.note('s', Answer.result('1', { task: { taskId: '1' } }), anna);
  const list = Answer.result('2', { tasks: [{ taskId: '1' }, { taskId: '2' }], nextCursor: 'x' });
  expect(owners.withoutOthers('s', list, ben).result).toEqual({ tasks: [{ taskId: '2' }], nextCursor: 'x' });
  expect(owners.withoutOthers('s', list, anna)).toBe(list);
});

test('a task whose handle was withheld is nobody’s', () => {
  const owners = new TaskOwners();
  const started = Answer.result('1', { task: { taskId: '1' } });
  owners.note('s', started, anna);
  owners.note('s', started, undefined);
  expect(owners.isOf('s', '1', anna)).toBe(false);
  expect(owners.withoutOthers('s', Answer.result('2', { tasks: [{ taskId: '1' }] }), anna).result).toEqual({
    tasks: [],
  });
});

test('no more tasks are remembered than there is room for', () => {
  const owners = new TaskOwners();
  for (let i = 0; i <= 10_000; i++) owners.note('s', Answer.result('1', { task: { taskId: String(i) } }), anna);
  expect(owners.isOf('s', '0', ben)).toBe(true);
  expect(owners.isOf('s', '1', ben)).toBe(false);
});
