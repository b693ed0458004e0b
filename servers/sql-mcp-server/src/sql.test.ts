import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasPostgres, startPostgres } from './postgres-for-tests.ts';
import { type SqlOptions, sql } from './sql.ts';

const PEOPLE = `CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO people VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Alan');`;
const folder = mkdtempSync(join(tmpdir(), 'sql-server-'));
const file = join(folder, 'people.db');
let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined;

beforeAll(async () => {
  const made = new DatabaseSync(file);
  made.exec(PEOPLE);
  made.close();
  if (hasPostgres)
    postgres = await startPostgres(`${PEOPLE}
      CREATE TABLE secrets (id INTEGER); CREATE ROLE reader LOGIN; CREATE ROLE writer LOGIN;
      GRANT SELECT ON people TO reader; GRANT ALL ON people TO writer;`);
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)';

const DATABASES = [
  {
    name: 'SQLite',
    where: (): SqlOptions => ({ file }),
    parameter: '?',
    columns: ['id INTEGER', 'name TEXT'],
    long: "SELECT printf('%.*c', 50000, 'x') AS x",
    huge: 'SELECT hex(zeroblob(9000000))',
    endless: 'SELECT count(*) FROM c',
    stays: [] as string[],
  },
  {
    name: 'PostgreSQL',
    where: (role = 'reader'): SqlOptions => ({ url: postgres?.urlOf(role) }),
    parameter: '$1',
    columns: ['id integer', 'name text'],
    long: "SELECT repeat('x', 50000) AS x",
    huge: "SELECT repeat('x', 100000000)",
    endless: 'SELECT count(*) FROM c',
    // What a parser could miss, and only the database refuses.
    stays: [
      "SELECT set_config('transaction_read_only', 'off', false)",
      'WITH gone AS (DELETE FROM people RETURNING id) SELECT * FROM gone',
      'SELECT * FROM secrets',
      "SELECT pg_read_file('/etc/passwd')",
      "SELECT nextval('none')",
      'SELECT id FROM people FOR UPDATE',
    ],
  },
].filter(({ name }) => name === 'SQLite' || hasPostgres);

describe.each(DATABASES)('$name', ({ where, parameter, columns, long, huge, endless, stays }) => {
  const create = () => sql(where());
  const refused = ['DELETE FROM people', 'SELECT 1); DELETE FROM people; --', 'SELECT 1; DELETE FROM people', ...stays];
  const examples = [
    ...readExamples(new URL('../README.md', import.meta.url)),
    { tool: 'sql_list_tables', input: {}, output: { tables: [{ name: 'people', kind: 'table', columns }] } },
    {
      tool: 'sql_run_query',
      input: {
        query: `SELECT name FROM people WHERE name LIKE ${parameter} ORDER BY id;`,
        parameters: ['A%'],
        limit: 1,
      },
      output: { items: [{ name: 'Ada' }], has_more: true, next_offset: 1 },
    },
    { tool: 'sql_run_query', input: { query: 'SELECT 1 AS one -- a comment' }, output: { items: [{ one: 1 }] } },
    { tool: 'sql_run_query', input: { query: huge }, error: /too big/ },
    { tool: 'sql_run_query', input: { query: long }, error: /fewer fields/ },
    { tool: 'sql_run_query', input: { query: 'SELECT 1 AS "__proto__"' }, output: { has_more: false } },
    { tool: 'sql_run_query', input: { query: `SELECT ${parameter}`, parameters: [1, 2] }, error: /refused/ },
    { tool: 'sql_run_query', input: { query: 'SELECT nme FROM people' }, error: /nme.*sql_list_tables/ },
    ...refused.map((query) => ({ tool: 'sql_run_query', input: { query }, error: /refused/ })),
  ];
  for (const { kind, name, run } of serverTests({ create, examples })) test(`${kind}: ${name}`, run);

  test('only a writable server has a tool that changes the database', async () => {
    const writer = await sql({ ...where('writer'), isWritable: true });
    const client = await connectTestClient(writer);
    const [one, two] = parameter === '?' ? ['?', '?'] : ['$1', '$2'];
    expect(
      await client.call('sql_execute_statement', {
        statement: `UPDATE people SET name = ${one} WHERE id = ${two}`,
        parameters: ['Ada L.', 1],
      }),
    ).toEqual({ changed: 1 });
    const query = 'SELECT name FROM people WHERE id = 1';
    expect(await client.call('sql_run_query', { query })).toMatchObject({ items: [{ name: 'Ada L.' }] });
    expect(
      await client.callFailing('sql_execute_statement', { statement: 'DELETE FROM people; DELETE FROM people' }),
    ).toMatch(/refused/);
    await client.close();
    await writer.close();
    const reader = await create();
    const other = await connectTestClient(reader);
    expect((await other.client.listTools()).tools.map(({ name }) => name)).not.toContain('sql_execute_statement');
    const { contents } = await other.client.readResource({ uri: 'sql://schema' });
    const { text } = contents[0] as { text: string };
    expect(text).toMatch(/CREATE TABLE people \(\s*id integer[\s\S]*PRIMARY KEY/i);
    expect(text).not.toContain('secrets');
    await other.close();
    await reader.close();
  });

  test('a query without an end is stopped, and keeps nobody else waiting for the server', async () => {
    const server = await sql({ ...where(), timeoutMs: 500 });
    const client = await connectTestClient(server);
    const stopped = client.callFailing('sql_run_query', { query: `${ENDLESS} ${endless}` });
    expect((await client.client.listTools()).tools).toHaveLength(2);
    expect(await stopped).toMatch(/took longer than 0.5 seconds|statement timeout/);
    // A busy machine may take longer than that to begin.
    await vi.waitFor(
      async () =>
        expect(await client.call('sql_run_query', { query: 'SELECT 1 AS one' })).toMatchObject({ items: [{ one: 1 }] }),
      { timeout: 60_000 },
    );
    await client.close();
    await server.close();
  });

  test('a change that is stopped changes nothing', async () => {
    const server = await sql({ ...where('writer'), isWritable: true, timeoutMs: 500 });
    const client = await connectTestClient(server);
    const statement = `INSERT INTO people (id, name) ${ENDLESS} SELECT x + 10, 'x' FROM c`;
    expect(await client.callFailing('sql_execute_statement', { statement })).toMatch(/took longer|statement timeout/);
    await client.close();
    await server.close();
    // With time enough: a busy machine takes long to start what asks.
    const patient = await sql(where());
    const other = await connectTestClient(patient);
    const query = 'SELECT count(*) AS n FROM people';
    expect(await other.call('sql_run_query', { query })).toMatchObject({ items: [{ n: 3 }] });
    await other.close();
    await patient.close();
  });
});

test.each([
  ["ATTACH DATABASE '%' AS other", 'attached'],
  ["VACUUM INTO '%'", 'vacuumed'],
  ['BEGIN', 'begun'],
  ['SAVEPOINT s', 'saved'],
  ['PRAGMA writable_schema = ON', 'pragma'],
])('SQLite: %s leads out of the database and is refused', async (statement, name) => {
  const client = await connectTestClient(await sql({ file, isWritable: true }));
  const other = join(folder, name);
  expect(await client.callFailing('sql_execute_statement', { statement: statement.replace('%', other) })).toMatch(
    /not authorized|authorization denied/,
  );
  expect(existsSync(other)).toBe(false);
  await client.close();
});

test.each([
  "UPDATE people SET name = 'a;b' WHERE id = 9;",
  'DELETE FROM people WHERE id = 9; -- nobody',
  'CREATE TRIGGER t AFTER INSERT ON people BEGIN DELETE FROM people WHERE id = 8; DELETE FROM people WHERE id = 9; END;',
])('SQLite: "%s" is one statement', async (statement) => {
  const client = await connectTestClient(await sql({ file, isWritable: true }));
  expect(await client.call('sql_execute_statement', { statement })).toHaveProperty('changed');
  await client.close();
});

test.runIf(hasPostgres)('PostgreSQL: a setting or a lock of one call does not reach the next', async () => {
  const server = await sql({ url: postgres?.urlOf('writer'), isWritable: true });
  const client = await connectTestClient(server);
  await client.call('sql_execute_statement', { statement: "SET search_path TO 'nowhere'" });
  await client.call('sql_execute_statement', { statement: 'SELECT pg_advisory_lock(7)' });
  const query =
    "SELECT current_setting('search_path') AS path, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks";
  expect(await client.call('sql_run_query', { query })).toMatchObject({
    items: [{ path: '"$user", public', locks: 0 }],
  });
  await client.close();
  await server.close();
});

test.runIf(hasPostgres)('PostgreSQL: values are what JSON can write, and never another number', async () => {
  const server = await sql({ url: postgres?.urlOf('reader') });
  const client = await connectTestClient(server);
  const query = `SELECT true AS b, 9007199254740993 AS big, 1.5::float8 AS f, 0.1::numeric AS exact, '\\x0102'::bytea AS bytes,
    '{"a":1}'::json AS json, DATE '2026-01-02' AS day, NULL AS nothing, 'NaN'::float8 AS nan`;
  expect(await client.call('sql_run_query', { query })).toMatchObject({
    items: [
      {
        ...{ b: true, big: '9007199254740993', f: 1.5, exact: '0.1', bytes: '(2 bytes)', json: '{"a":1}' },
        ...{ day: '2026-01-02', nothing: null, nan: 'NaN' },
      },
    ],
  });
  await client.close();
  await server.close();
});

test('what cannot be opened is named at the start', async () => {
  writeFileSync(join(folder, 'text.db'), 'no database at all, and long enough to have a header'.repeat(10));
  await expect(sql({ file: join(folder, 'text.db') })).rejects.toThrow(/text\.db.*SQL_FILE/);
  await expect(sql({ file: join(folder, 'none.db') })).rejects.toThrow(/none\.db.*SQL_FILE/);
  await expect(sql({})).rejects.toThrow(/SQL_FILE.*SQL_URL/);
  await expect(sql({ url: 'postgresql://someone:geheim@127.0.0.1:1/x' })).rejects.toThrow(
    /^The PostgreSQL database at 127\.0\.0\.1:1\/x cannot be reached: (?!.*geheim).*SQL_URL/,
  );
  if (postgres !== undefined)
    await expect(sql({ url: postgres.urlOf('owner') })).rejects.toThrow(/superuser.*CREATE ROLE/);
});

test('SQLite: what a killed program left half done is undone, also for a reader', async () => {
  const broken = join(folder, 'killed.db');
  const made = new DatabaseSync(broken);
  made.exec('CREATE TABLE numbers (n INTEGER)');
  made.close();
  // With a cache of one page, changes are in the file, and their undoing in its journal, before the commit.
  const program = `const { DatabaseSync } = require('@photostructure/sqlite');
    const database = new DatabaseSync(process.argv[1]);
    database.exec('PRAGMA cache_size = 1; BEGIN');
    for (let i = 0; i < 5000; i++) database.exec('INSERT INTO numbers VALUES (' + i + ')');
    process.stdout.write('half done');
    setInterval(() => {}, 1000);`;
  const killed = spawn(process.execPath, ['-e', program, broken], { cwd: import.meta.dirname });
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const server = await sql({ file: broken });
  const client = await connectTestClient(server);
  expect(await client.call('sql_run_query', { query: 'SELECT count(*) AS n FROM numbers' })).toMatchObject({
    items: [{ n: 0 }],
  });
  await client.close();
  await server.close();
});
