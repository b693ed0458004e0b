import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test } from 'vitest';
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
