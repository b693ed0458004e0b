import { expect, test } from 'vitest';
import { Answer, Notification } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { openDatabase } from '../storage/database.ts';
import { createTaskOwnerStore } from '../storage/task-owners.ts';
import { createLog } from '../telemetry/log.ts';
import { TaskOwners } from './task-owners.ts';

const person = (id: string) => ({ id }) as Principal;
const [anna, ben] = [person('anna'), person('ben')];
const log = createLog('silent', { write() {} });

test.each([
  ['2025-11-25', { task: { taskId: '1', status: 'working' } }],
  ['SEP-2663', { resultType: 'task', taskId: '1', status: 'working' }],
  ['a large answer', { task: { taskId: '1' }, content: [{ type: 'text', text: 'x'.repeat(20_000) }] }],
])('a task as %s starts one is of whoever started it', async (_, result) => {
  const owners = new TaskOwners();
  await owners.note('s', Answer.result('1', result), anna);
  expect(owners.isOf('s', '1', anna)).toBe(true);
  expect(owners.isOf('s', '1', ben)).toBe(false);
  expect(owners.isOf('s', '1', { ...anna, agent: 'another program' })).toBe(false);
});

test('a task nobody is known to have started is nobody’s', async () => {
  const owners = new TaskOwners();
  const status = Notification.of('notifications/tasks/status', { taskId: '1' });
  expect(owners.isOf('s', '1', anna)).toBe(false);
  expect(owners.isOfOther('s', status, anna)).toBe(true);
  await owners.note('s', Answer.result('1', { task: { taskId: '1' } }), anna);
  expect(owners.isOf('other', '1', anna)).toBe(false);
  expect(owners.isOfOther('s', status, anna)).toBe(false);
  expect(owners.isOfOther('s', Notification.of('notifications/message', { data: 'no task' }), ben)).toBe(false);
});

test('an answer that starts no task costs no promise', () => {
  expect(new TaskOwners().note('s', Answer.result('1', { content: [] }), anna)).toBe(undefined);
});

test('a list lacks the tasks of others', async () => {
  const owners = new TaskOwners();
  for (const taskId of ['1', '2'])
    await owners.note('s', Answer.result('1', { task: { taskId } }), taskId === '1' ? anna : ben);
  const list = Answer.result('2', { tasks: [{ taskId: '1' }, { taskId: '2' }, { taskId: '3' }], nextCursor: 'x' });
  expect((await owners.withoutOthers('s', list, ben)).result).toEqual({ tasks: [{ taskId: '2' }], nextCursor: 'x' });
  const own = Answer.result('2', { tasks: [{ taskId: '1' }, {}] });
  expect(await owners.withoutOthers('s', own, anna)).toBe(own);
});

test('a task whose handle was withheld is nobody’s', async () => {
  const owners = new TaskOwners();
  const started = Answer.result('1', { task: { taskId: '1' } });
  await owners.note('s', started, anna);
  await owners.note('s', started, undefined);
  expect(owners.isOf('s', '1', anna)).toBe(false);
  const list = Answer.result('2', { tasks: [{ taskId: '1' }] });
  expect((await owners.withoutOthers('s', list, anna)).result).toEqual({ tasks: [] });
});

test('another process, or the same after a restart, knows whose it is', async () => {
  const database = await openDatabase(':memory:');
  const store = createTaskOwnerStore(database, { now: () => 1 });
  const [here, there] = [0, 1].map(() => new TaskOwners({ store: async () => store, log }));
  await here?.note('s', Answer.result('1', { task: { taskId: '1' } }), anna);
  expect(await there?.isOf('s', '1', ben)).toBe(false);
  expect(await there?.isOf('s', '1', anna)).toBe(true);
  expect(await there?.isOf('s', '2', anna)).toBe(false);
  const list = Answer.result('2', { tasks: [{ taskId: '1' }, { taskId: '2' }] });
  const third = new TaskOwners({ store: async () => store, log });
  expect((await third.withoutOthers('s', list, anna)).result).toEqual({ tasks: [{ taskId: '1' }] });
  await database.destroy();
});

test('no more tasks are remembered than there is room for', async () => {
  const owners = new TaskOwners();
  for (let i = 0; i <= 10_000; i++) await owners.note('s', Answer.result('1', { task: { taskId: String(i) } }), anna);
  expect(owners.isOf('s', '0', anna)).toBe(false);
  expect(owners.isOf('s', '1', anna)).toBe(true);
});

test('where the database cannot be written or read, a task started here is known here, and no other', async () => {
  const owners = new TaskOwners({ store: () => Promise.reject(new Error('locked')), log });
  await owners.note('s', Answer.result('1', { task: { taskId: '1' } }), anna);
  expect(owners.isOf('s', '1', anna)).toBe(true);
  await expect(owners.isOf('s', '2', anna)).rejects.toThrow('locked');
});
