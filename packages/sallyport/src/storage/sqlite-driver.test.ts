import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDatabase } from '../../test/lock-database.ts';
import { type Database, openDatabase } from './database.ts';
import { createLateDatabase } from './late-database.ts';

let dir: string;
let file: string;
const ends: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sallyport-driver-'));
  file = join(dir, 'sallyport.db');
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(dir, { recursive: true });
});

async function open(options = {}): Promise<Database> {
  const database = await openDatabase(file, options);
  ends.push(() => database.destroy());
  return database;
}

async function makeTable(database: Database): Promise<void> {
  await sql`create table kept (a text)`.execute(database);
}

const insert = (database: Database, value: string) => sql`insert into kept values (${value})`.execute(database);

async function readAll(database: Database): Promise<unknown[]> {
  // A selection as the aggregates make them, of a table that only this test has.
  const rows = await database.selectFrom(sql<{ a: string }>`kept`.as('kept')).select(sql<string>`a`.as('a')).execute();
  return rows.map(({ a }) => a);
}

test('while another process writes, the program goes on, readers read, and the write is made', async () => {
  const database = await open();
  await makeTable(database);
  await insert(database, 'before');
  const { release } = await lockDatabase(file);
  let written = false;
  const write = insert(database, 'after').then(() => {
    written = true;
  });
  const changed = database.transaction().execute(async (change) => insert(change as Database, 'in a transaction'));
  expect(await readAll(database)).toEqual(['before']);
  // SQLite's own waiting would be one turn, until the lock is let go by the last of these.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(written).toBe(false);
  await release();
  await write;
  await changed;
  expect(await readAll(database)).toEqual(['before', 'after', 'in a transaction']);
});

test('a statement that writes and returns rows waits for another process as well', async () => {
  const database = await open();
  await makeTable(database);
  const { release } = await lockDatabase(file);
  const written = sql`insert into kept values ('x') returning a`.execute(database);
  await release();
  expect((await written).rows).toEqual([{ a: 'x' }]);
});

test('a lock that is never let go ends the wait of every statement with the reason', async () => {
  const database = await open({ patienceMs: 200 });
  await makeTable(database);
  const { release } = await lockDatabase(file);
  const writes = [1, 2, 3].map((value) => insert(database, String(value)));
  const change = database.transaction().execute((inside) => insert(inside as Database, 'x'));
  for (const outcome of await Promise.allSettled([...writes, change]))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
  await release();
  await insert(database, 'afterwards');
  expect(await readAll(database)).toEqual(['afterwards']);
});

test('nobody sees what a transaction has not committed, nor joins it', async () => {
  const database = await open();
  await makeTable(database);
  let carryOn = () => {};
  const held = new Promise<void>((resolve) => {
    carryOn = resolve;
  });
  const failing = database.transaction().execute(async (change) => {
    await insert(change as Database, 'taken back');
    await held;
    throw new Error('no');
  });
  const write = insert(database, 'kept');
  const read = readAll(database);
  carryOn();
  await expect(failing).rejects.toThrow('no');
  await write;
  expect(await read).not.toContain('taken back');
  expect(await readAll(database)).toEqual(['kept']);
});

test('transactions and statements of one process never wait for each other in vain, and keep their order', async () => {
  const database = await open({ patienceMs: 2_000 });
  await makeTable(database);
  const work = Array.from({ length: 200 }, (_, index) =>
    index % 3 === 0
      ? database.transaction().execute(async (change) => {
          await readAll(change as Database);
          await insert(change as Database, String(index));
        })
      : insert(database, String(index)),
  );
  await Promise.all(work);
  expect(await readAll(database)).toEqual(Array.from({ length: 200 }, (_, index) => String(index)));
});

test('a failed commit is rolled back, and the next writer has its turn', async () => {
  const database = await open();
  await sql`create table parent (id integer primary key)`.execute(database);
  await sql`create table child (parent integer references parent(id) deferrable initially deferred)`.execute(database);
  await expect(
    database.transaction().execute((change) => sql`insert into child values (7)`.execute(change)),
  ).rejects.toThrow(/FOREIGN KEY/);
  await sql`insert into parent values (1)`.execute(database);
  expect((await sql`select * from child`.execute(database)).rows).toEqual([]);
});

test('the line is bounded', async () => {
  const database = await open({ patienceMs: 500 });
  await makeTable(database);
  const { release } = await lockDatabase(file);
  const outcomes = Promise.allSettled(Array.from({ length: 1_100 }, () => insert(database, 'x')));
  const turnedAway = (await outcomes).filter(
    (one) => one.status === 'rejected' && /1000 statements wait/.test((one.reason as Error).message),
  );
  expect(turnedAway).toHaveLength(99);
  await release();
});

test('many processes may open a new file at once', async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => open()));
  expect(databases).toHaveLength(8);
});

test('one handle for whoever asks, opened late, and none after the end', async () => {
  const late = createLateDatabase(file);
  const [one, other] = await Promise.all([late.get(), late.get()]);
  expect(one).toBe(other);
  const closing = late.close();
  await expect(late.get()).rejects.toMatchObject({ code: 'draining' });
  await closing;
  await late.close();
  await createLateDatabase(join(dir, 'never-opened.db')).close();
});

test('who could not open it tries again', async () => {
  const late = createLateDatabase(dir);
  ends.push(() => late.close());
  await expect(late.get()).rejects.toMatchObject({ code: 'config' });
  await expect(late.get()).rejects.toMatchObject({ code: 'config' });
});
