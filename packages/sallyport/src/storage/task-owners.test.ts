import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { createTaskOwnerStore } from './task-owners.ts';

test('every process on the file knows who started a task, and no id is in it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-tasks-'));
  const file = join(dir, 'sallyport.db');
  const [here, there] = [await openDatabase(file), await openDatabase(file)];
  const clock = { now: () => 1 };
  await createTaskOwnerStore(here, clock).put('s\nsecret-id', 'anna');
  await createTaskOwnerStore(here, clock).put('s\nsecret-id', 'ben');
  const found = await createTaskOwnerStore(there, clock).find(['s\nsecret-id', 't\nsecret-id', '']);
  expect([...found]).toEqual([['s\nsecret-id', 'ben']]);
  expect(JSON.stringify(await there.selectFrom('task_owner').selectAll().execute())).not.toContain('secret');
  await here.destroy();
  await there.destroy();
  rmSync(dir, { recursive: true });
});

test('the oldest make room, and a month is enough', async () => {
  const database = await openDatabase(':memory:');
  let now = 0;
  const clock = { now: () => now };
  const put = (task: string) => createTaskOwnerStore(database, clock, 3).put(task, 'anna');
  for (now = 1; now <= 5; now++) await put(String(now));
  const left = await createTaskOwnerStore(database, clock).find(['1', '2', '3', '4', '5']);
  expect([...left.keys()].sort()).toEqual(['3', '4', '5']);
  now += 31 * 86_400_000;
  await put('new');
  expect((await createTaskOwnerStore(database, clock).find(['5', 'new'])).size).toBe(1);
  await database.destroy();
});

test('tasks of one caller push out its own, never those of others', async () => {
  const database = await openDatabase(':memory:');
  let now = 0;
  const store = createTaskOwnerStore(database, { now: () => now++ }, 100);
  for (let i = 0; i < 5; i++) await store.put(`ben ${i}`, 'ben');
  for (let i = 0; i < 1_030; i++) await store.put(`anna ${i}`, 'anna');
  const names = (caller: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `${caller} ${from + i}`);
  expect((await store.find(names('ben', 0, 5))).size).toBe(5);
  expect((await store.find(names('anna', 0, 500))).size).toBe(0);
  expect((await store.find(names('anna', 1_025, 1_030))).size).toBe(5);
  await database.destroy();
});

test('of many callers with a task each the oldest go', async () => {
  const database = await openDatabase(':memory:');
  let now = 0;
  const store = createTaskOwnerStore(database, { now: () => now++ }, 100);
  for (let i = 0; i < 257; i++) await store.put(`task ${i}`, `caller ${i}`);
  const found = await store.find(Array.from({ length: 257 }, (_, i) => `task ${i}`));
  expect(found.size).toBe(94);
  expect(found.has('task 256')).toBe(true);
  await database.destroy();
});
