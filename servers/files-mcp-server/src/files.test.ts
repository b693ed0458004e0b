import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test } from 'vitest';
import { files } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'files-server-'));
for (const name of ['notes', 'drafts']) mkdirSync(join(folder, name));
writeFileSync(join(folder, 'notes/todo.md'), 'Buy milk.');
writeFileSync(join(folder, 'long.txt'), 'ä'.repeat(15_001));
writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
symlinkSync('/etc', join(folder, 'etc'));
afterAll(() => rmSync(folder, { recursive: true }));

const create = () => files([folder]);
const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  {
    tool: 'files_list_folder',
    input: { path: 'notes' },
    output: { items: [{ name: 'todo.md', kind: 'file', bytes: 9 }] },
  },
  { tool: 'files_list_folder', input: { path: 'etc' }, error: /outside the folders/ },
  { tool: 'files_read_text', input: { path: 'notes/todo.md' }, output: { text: 'Buy milk.', bytes: 9 } },
  { tool: 'files_read_text', input: { path: 'binary' }, error: /not text/ },
  { tool: 'files_read_text', input: { path: 'notes' }, error: /not a file/ },
  { tool: 'files_read_text', input: { path: 'none' }, error: /files_list_folder/ },
  { tool: 'files_write_text', input: { path: 'drafts/new.md', text: 'New.' }, output: { bytes: 4 } },
  { tool: 'files_write_text', input: { path: 'none/new.md', text: 'New.' }, error: /no "none\/new.md"/ },
  { tool: 'delete_file', input: { path: 'notes/none.md' }, error: /no "notes\/none.md"/ },
];
for (const { kind, name, run } of serverTests({ create, examples })) test(`${kind}: ${name}`, run);

test('a long text is read in parts, and no character is cut in two', async () => {
  const client = await connectTestClient(await create());
  let text = '';
  for (let offset: unknown = 0; offset !== undefined; ) {
    const part = await client.call('files_read_text', { path: 'long.txt', offset });
    text += String(part['text']);
    offset = part['next_offset'];
  }
  expect(text).toBe('ä'.repeat(15_001));
  await client.close();
});

test('delete_file deletes one file and nothing else', async () => {
  const client = await connectTestClient(await create());
  writeFileSync(join(folder, 'old.md'), 'x');
  expect(await client.call('delete_file', { path: 'old.md' })).toEqual({ deleted: 'old.md' });
  expect(() => readFileSync(join(folder, 'old.md'))).toThrow(/ENOENT/);
  expect(await client.callFailing('delete_file', { path: 'notes' })).toMatch(/not a file/);
  await client.close();
});
