import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
symlinkSync('loop', join(folder, 'loop'));
symlinkSync('/nowhere-yet', join(folder, 'dangling'));
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
  { tool: 'files_read_text', input: { path: 'notes/todo.md/x' }, error: /files_list_folder/ },
  { tool: 'files_read_text', input: { path: 'x'.repeat(300) }, error: /too long/ },
  { tool: 'files_read_text', input: { path: 'loop' }, error: /links/ },
  { tool: 'files_write_text', input: { path: 'dangling/new.md', text: 'x' }, error: /links/ },
  { tool: 'files_list_folder', input: { path: 'notes/todo.md' }, error: /not a folder/ },
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

test('text that grows when it is written as JSON loses nothing', async () => {
  const client = await connectTestClient(await create());
  const wanted = '\\"\n\u0001'.repeat(10_000);
  writeFileSync(join(folder, 'escapes.txt'), wanted);
  let text = '';
  for (let offset: unknown = 0; offset !== undefined; ) {
    const part = await client.call('files_read_text', { path: 'escapes.txt', offset });
    text += String(part['text']);
    offset = part['next_offset'];
  }
  expect(text).toBe(wanted);
  await client.close();
});

test('writers at once leave one whole text, and no other file', async () => {
  const client = await connectTestClient(await create());
  mkdirSync(join(folder, 'shared'));
  const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(50_000));
  const results = await Promise.all(
    texts.map((text) => client.raw('files_write_text', { path: 'shared/one.md', text })),
  );
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(texts).toContain(readFileSync(join(folder, 'shared/one.md'), 'utf8'));
  expect(readdirSync(join(folder, 'shared'))).toEqual(['one.md']);
  await client.close();
});

test('a file keeps its rights when it is overwritten', async () => {
  const client = await connectTestClient(await create());
  writeFileSync(join(folder, 'private.md'), 'old', { mode: 0o600 });
  await client.call('files_write_text', { path: 'private.md', text: 'new' });
  expect(statSync(join(folder, 'private.md')).mode & 0o777).toBe(0o600);
  await client.close();
});

test('a name of the full length can be written', async () => {
  const client = await connectTestClient(await create());
  await client.call('files_write_text', { path: 'n'.repeat(255), text: 'x' });
  await client.close();
});

test('a pipe is refused and keeps nobody waiting', async () => {
  const client = await connectTestClient(await create());
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(await client.callFailing('files_read_text', { path: 'pipe' })).toMatch(/not a file/);
  await client.close();
});

test('delete_file deletes a link and not its file', async () => {
  const client = await connectTestClient(await create());
  writeFileSync(join(folder, 'target.md'), 'x');
  symlinkSync(join(folder, 'target.md'), join(folder, 'short.md'));
  await client.call('delete_file', { path: 'short.md' });
  expect(() => lstatSync(join(folder, 'short.md'))).toThrow(/ENOENT/);
  expect(readFileSync(join(folder, 'target.md'), 'utf8')).toBe('x');
  await client.close();
});
