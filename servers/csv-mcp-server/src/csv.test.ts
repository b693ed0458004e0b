import { createWriteStream, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test } from 'vitest';
import { csv } from './csv.ts';

const folder = mkdtempSync(join(tmpdir(), 'csv-server-'));
writeFileSync(join(folder, 'sales.csv'), 'country,price\nFR,10\nDE,"5.5"\nFR,\nDE,x\nFR,-1\n');
writeFileSync(join(folder, 'broken.csv'), 'a,b\n1,"2\n');
writeFileSync(join(folder, 'empty.csv'), '');
writeFileSync(join(folder, 'huge-numbers.csv'), 'n\n1e308\n1e308\n');
writeFileSync(join(folder, 'huge-line.csv'), `a,b\n1,${'x'.repeat(2_000_000)}\n`);
writeFileSync(join(folder, 'proto.csv'), '__proto__,constructor\n1,2\n');
afterAll(() => rmSync(folder, { recursive: true }));

const create = () => csv([folder]);
const sales = { path: 'sales.csv', column: 'price' };
const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  {
    tool: 'analyze_csv',
    input: sales,
    output: {
      rows: 5,
      skipped: 2,
      groups: [{ group: 'all', count: 3, sum: 14.5, average: 14.5 / 3, minimum: -1, maximum: 10 }],
    },
  },
  { tool: 'analyze_csv', input: { ...sales, group_by: 'country' }, output: { more_groups: 0 } },
  { tool: 'analyze_csv', input: { ...sales, column: 'cost' }, error: /no column "cost".*country, price/ },
  { tool: 'analyze_csv', input: { ...sales, path: 'none.csv' }, error: /no file "none.csv"/ },
  { tool: 'analyze_csv', input: { path: 'huge-numbers.csv', column: 'n' }, error: /too large/ },
  { tool: 'analyze_csv', input: { path: 'huge-line.csv', column: 'a' }, error: /cannot be read as CSV/ },
  { tool: 'analyze_csv', input: { path: 'proto.csv', column: 'toString' }, error: /no column "toString"/ },
  { tool: 'analyze_csv', input: { path: 'proto.csv', column: 'constructor' }, output: { rows: 1, skipped: 0 } },
  { tool: 'analyze_csv', input: { path: '.', column: 'a' }, error: /not a file/ },
  { tool: 'analyze_csv', input: { path: 'broken.csv', column: 'a' }, error: /cannot be read as CSV/ },
  { tool: 'analyze_csv', input: { path: 'empty.csv', column: 'a' }, output: { rows: 0, groups: [] } },
  {
    tool: 'csv_list_rows',
    input: { path: 'sales.csv', limit: 1 },
    output: { items: [{ country: 'FR', price: '10' }], next_offset: 1 },
  },
];
for (const { kind, name, run } of serverTests({ create, examples, atOnce: 10 })) test(`${kind}: ${name}`, run);

test('a large file is read as a stream, and only the asked rows are kept', async () => {
  const out = createWriteStream(join(folder, 'large.csv'));
  out.write('n,text\n');
  for (let i = 0; i < 200_000; i++)
    if (!out.write(`${i},${'x'.repeat(50)}\n`)) await new Promise((resolve) => out.once('drain', resolve));
  await new Promise<void>((resolve) => out.end(resolve));
  const client = await connectTestClient(await create());
  expect(await client.call('analyze_csv', { path: 'large.csv', column: 'n' })).toMatchObject({
    rows: 200_000,
    groups: [{ maximum: 199_999 }],
  });
  expect(await client.call('csv_list_rows', { path: 'large.csv', offset: 150_000, limit: 1 })).toMatchObject({
    items: [{ n: '150000' }],
  });
  await client.close();
});

test('a call that is cancelled while it reads ends, and the server goes on', async () => {
  const client = await connectTestClient(await create(), { era: 'legacy' });
  const controller = new AbortController();
  const called = client.client.callTool(
    { name: 'analyze_csv', arguments: { path: 'large.csv', column: 'n' } },
    { signal: controller.signal, onprogress: () => controller.abort() },
  );
  await expect(called).rejects.toThrow();
  expect(await client.call('csv_list_rows', { path: 'sales.csv', limit: 1 })).toMatchObject({ next_offset: 1 });
  await client.close();
});

test('a page closes the file that it did not read to the end', async () => {
  const client = await connectTestClient(await create());
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith('large.csv');
      } catch {
        return false;
      }
    }).length;
  for (let i = 0; i < 5; i++) await client.call('csv_list_rows', { path: 'large.csv', limit: 1 });
  await expect.poll(openFiles, { timeout: 5_000 }).toBe(0);
  await client.close();
});
