import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openCallStore } from './call-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'kit-calls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const STORE = fileURLToPath(new URL('../dist/call-store.js', import.meta.url));

test('after kill -9, a finished call has its result and an unfinished one says that nobody knows', async () => {
  const file = join(folder, 'calls.db');
  const source = `
    const { openCallStore } = await import(${JSON.stringify(STORE)});
    const store = openCallStore(${JSON.stringify(file)});
    await store.once('done', 'call', async () => ({ content: [{ type: 'text', text: 'first' }] }));
    store.once('open', 'call', async () => { console.log('started'); await new Promise((r) => setTimeout(r, 60_000)); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');

  const store = openCallStore(file);
  const work = async () => ({ content: [{ type: 'text' as const, text: 'second' }] });
  expect(await store.once('done', 'call', work)).toEqual({ content: [{ type: 'text', text: 'first' }] });
  await expect(store.once('open', 'call', work)).rejects.toThrow(/nobody knows/);
  await expect(store.once('done', 'other call', work)).rejects.toThrow(/used for another call/);
  store.close();
});

test('a result is forgotten after a day', async () => {
  let now = 0;
  const store = openCallStore(':memory:', () => now);
  let runs = 0;
  const work = async () => ({ content: [{ type: 'text' as const, text: String(++runs) }] });
  await store.once('key', 'call', work);
  now += 23 * 3_600_000;
  expect(await store.once('key', 'call', work)).toMatchObject({ content: [{ text: '1' }] });
  now += 2 * 3_600_000;
  expect(await store.once('key', 'call', work)).toMatchObject({ content: [{ text: '2' }] });
  store.close();
});
