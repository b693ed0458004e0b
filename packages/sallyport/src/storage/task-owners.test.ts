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
