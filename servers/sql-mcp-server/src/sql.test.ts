import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { sql } from './sql.ts';

const folder = mkdtempSync(join(tmpdir(), 'sql-server-'));
const file = join(folder, 'people.db');
const made = new DatabaseSync(file);
made.exec(
  "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people (name) VALUES ('Ada'), ('Grace'), ('Alan')",
);
made.close();
afterAll(() => rmSync(folder, { recursive: true }));

const create = () => sql({ file });
const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  {
    tool: 'sql_list_tables',
    input: {},
    output: { tables: [{ name: 'people', kind: 'table', columns: ['id INTEGER', 'name TEXT'] }] },
  },
  {
    tool: 'sql_run_query',
    input: { query: 'SELECT name FROM people WHERE name LIKE ? ORDER BY id;', parameters: ['A%'], limit: 1 },
    output: { items: [{ name: 'Ada' }], has_more: true, next_offset: 1 },
  },
  { tool: 'sql_run_query', input: { query: 'DELETE FROM people' }, error: /refused/ },
  { tool: 'sql_run_query', input: { query: 'SELECT 1); DELETE FROM people; --' }, error: /refused/ },
  { tool: 'sql_run_query', input: { query: 'SELECT 1 AS one -- a comment' }, output: { items: [{ one: 1 }] } },
  { tool: 'sql_run_query', input: { query: 'SELECT hex(zeroblob(9000000))' }, error: /too big/ },
  { tool: 'sql_run_query', input: { query: "SELECT printf('%.*c', 50000, 'x') AS x" }, error: /fewer fields/ },
  { tool: 'sql_run_query', input: { query: 'SELECT 1 AS "__proto__"' }, output: { has_more: false } },
  { tool: 'sql_run_query', input: { query: 'SELECT ?', parameters: [1, 2] }, error: /refused/ },
  { tool: 'sql_run_query', input: { query: 'SELECT nme FROM people' }, error: /no such column: nme.*sql_list_tables/ },
];
for (const { kind, name, run } of serverTests({ create, examples })) test(`${kind}: ${name}`, run);

test('only a writable server has a tool that changes the database', async () => {
  const client = await connectTestClient(sql({ file, isWritable: true }));
  expect(
    await client.call('sql_execute_statement', {
      statement: 'UPDATE people SET name = ? WHERE id = 1',
      parameters: ['Ada L.'],
    }),
  ).toEqual({ changed: 1 });
  expect(await client.call('sql_run_query', { query: 'SELECT name FROM people WHERE id = 1' })).toMatchObject({
    items: [{ name: 'Ada L.' }],
  });
  await client.close();
  const reader = await connectTestClient(create());
  expect((await reader.client.listTools()).tools.map(({ name }) => name)).not.toContain('sql_execute_statement');
  const { contents } = await reader.client.readResource({ uri: 'sql://schema' });
  expect(contents[0]).toMatchObject({ text: expect.stringContaining('CREATE TABLE people') });
  await reader.close();
});

const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)';

test('a query without an end is stopped, and keeps nobody else waiting for the server', async () => {
  const client = await connectTestClient(sql({ file, timeoutMs: 500 }));
  const endless = client.callFailing('sql_run_query', { query: `${ENDLESS} SELECT count(*) FROM c` });
  expect((await client.client.listTools()).tools).toHaveLength(2);
  expect(await endless).toMatch(/took longer than 0.5 seconds/);
  // A busy machine may take longer than that to begin.
  await vi.waitFor(
    async () =>
      expect(await client.call('sql_run_query', { query: 'SELECT 1 AS one' })).toMatchObject({ items: [{ one: 1 }] }),
    { timeout: 60_000 },
  );
  await client.close();
});

test('a change that is stopped changes nothing', async () => {
  const client = await connectTestClient(sql({ file, isWritable: true, timeoutMs: 500 }));
  const statement = `INSERT INTO people (name) ${ENDLESS} SELECT 'x' FROM c`;
  expect(await client.callFailing('sql_execute_statement', { statement })).toMatch(/took longer/);
  await client.close();
  // With time enough: a busy machine takes long to start what asks.
  const patient = await connectTestClient(sql({ file, isWritable: true }));
  expect(await patient.call('sql_run_query', { query: 'SELECT count(*) AS n FROM people' })).toMatchObject({
    items: [{ n: 3 }],
  });
  await patient.close();
});

test.each([
  ["ATTACH DATABASE '%' AS other", 'attached'],
  ["VACUUM INTO '%'", 'vacuumed'],
  ['BEGIN', 'begun'],
  ['SAVEPOINT s', 'saved'],
  ['PRAGMA writable_schema = ON', 'pragma'],
])('%s leads out of the database and is refused', async (statement, name) => {
  const client = await connectTestClient(sql({ file, isWritable: true }));
  const other = join(folder, name);
  expect(await client.callFailing('sql_execute_statement', { statement: statement.replace('%', other) })).toMatch(
    /not authorized|authorization denied/,
  );
  expect(existsSync(other)).toBe(false);
  await client.close();
});

test('a file that is no database is named at the start', () => {
  writeFileSync(join(folder, 'text.db'), 'no database at all, and long enough to have a header'.repeat(10));
  expect(() => sql({ file: join(folder, 'text.db') })).toThrow(/text\.db.*SQL_FILE/);
  expect(() => sql({ file: join(folder, 'none.db') })).toThrow(/none\.db.*SQL_FILE/);
});
