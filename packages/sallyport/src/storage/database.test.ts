import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from './database.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sallyport-database-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('opens, keeps what was committed, and opens again', async () => {
  const file = join(dir, 'deep', 'sallyport.db');
  const first = await openDatabase(file);
  await sql`create table kept (a text)`.execute(first);
  await sql`insert into kept values ('x')`.execute(first);
  await first.destroy();
  const second = await openDatabase(file);
  expect((await sql`select a from kept`.execute(second)).rows).toEqual([{ a: 'x' }]);
  await second.destroy();
});

test('a file that is no database is named, with the fix', async () => {
  const file = join(dir, 'sallyport.db');
  writeFileSync(file, 'not a database at all, but long enough to look at'.repeat(40));
  await expect(openDatabase(file)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(
      /Opening the database .*sallyport\.db failed \(file is not a database\)\. The file is damaged: put a backup .* move .*-wal/,
    ),
  });
});

test('a file with damaged pages is named, with the fix, and nothing is left in the log of one that was closed', async () => {
  const file = join(dir, 'sallyport.db');
  const first = await openDatabase(file);
  await first.destroy();
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  const bytes = readFileSync(file);
  await (await openDatabase(file)).destroy();
  writeFileSync(file, bytes.fill(7, 8_192, 40_000));
  await expect(openDatabase(file)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(/failed \(database disk image is malformed.*The file is damaged: put a backup/),
  });
});
