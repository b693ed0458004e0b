import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test } from 'vitest';
import { issues } from './issues.ts';

const folder = mkdtempSync(join(tmpdir(), 'issues-server-'));
afterAll(() => rmSync(folder, { recursive: true }));

const create = async () => {
  const server = await issues(':memory:');
  const client = await connectTestClient(server);
  await client.call('create_issue', { title: 'The first' });
  await client.close();
  return server;
};
const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  { tool: 'create_issue', input: { title: 'Out of paper', body: 'The printer.' } },
  { tool: 'create_issue', input: { title: 'Quotes', body: '"'.repeat(20_000) }, output: {} },
  { tool: 'create_issue', input: { title: 'Half', body: 'a\0b' }, error: /NUL/ },
  { tool: 'issues_get_item', input: { id: 1 } },
  { tool: 'issues_get_item', input: { id: 99 }, error: /issues_list_items/ },
  { tool: 'issues_list_items', input: { state: 'open' }, output: { total_count: 1, has_more: false } },
  { tool: 'issues_update_item', input: { id: 1, state: 'closed' } },
];
for (const { kind, name, run } of serverTests({ create, examples })) test(`${kind}: ${name}`, run);

test('a repeated call with an idempotency key creates one issue, also after a restart', async () => {
  const file = join(folder, 'issues.db');
  const createOnce = async () => {
    const server = await issues(file);
    const { client, close } = await connectTestClient(server);
    const result = await client.callTool({
      name: 'create_issue',
      arguments: { title: 'Once' },
      _meta: { 'io.sallyport/idempotencyKey': 'k1' },
    });
    const { tools } = await client.listTools();
    const list = await client.callTool({ name: 'issues_list_items', arguments: {} });
    await close();
    await server.close();
    return { result: result.structuredContent, tools: tools.length, list: list.structuredContent };
  };
  const first = await createOnce();
  const second = await createOnce();
  expect(second.result).toEqual(first.result);
  expect(second.list).toMatchObject({ total_count: 1 });
});
