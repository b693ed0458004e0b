import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isHexKey } from '../core/hex-key.ts';
import { silentLog } from '../core/log.ts';
import { openRecordFile } from './record-file.ts';
import { createStateFile, loadOrCreateSecret } from './state-file.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sallyport-state-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('a state file is written whole, for its owner only, and leaves no draft', async () => {
  const file = createStateFile(join(dir, 'deep', 'state.json'));
  expect(await file.load()).toBeUndefined();
  await file.save('one');
  await file.save('two');
  expect(await file.load()).toBe('two');
  expect((await stat(join(dir, 'deep', 'state.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dir, 'deep'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(dir, 'deep'))).toEqual(['state.json']);
});

test('a state file that cannot be written says which, why and what to do', async () => {
  await writeFile(join(dir, 'plain'), '');
  await expect(createStateFile(join(dir, 'plain', 'state.json')).save('x')).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(/Writing .*state\.json failed \((ENOTDIR|EEXIST)\).*SALLYPORT_STATE/),
  });
});

test('all who ask get the same secret, with mode 0600, and it is tightened when it was loosened', async () => {
  const path = join(dir, 'key');
  let made = 0;
  const make = () => `secret-${++made}`.padEnd(32, '.');
  const [one, two] = await Promise.all([loadOrCreateSecret(path, make), loadOrCreateSecret(path, make)]);
  expect(one).toBe(two);
  const { chmod } = await import('node:fs/promises');
  await chmod(path, 0o644);
  expect(await loadOrCreateSecret(path, make)).toBe(one);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual(['key']);
});

test('an empty secret file is an error with the fix', async () => {
  await writeFile(join(dir, 'key'), '\n');
  await expect(loadOrCreateSecret(join(dir, 'key'), () => 'x')).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('is empty. Delete it'),
  });
});

test.each([
  ['a text', 'x', undefined],
  ['a text', 'x'.repeat(31), undefined],
  ['a key in hex', 'a', isHexKey],
  ['a key in hex', 'a'.repeat(63), isHexKey],
  ['a key in hex', 'z'.repeat(64), isHexKey],
])('a secret that is not whole is an error with the fix: %s, %j', async (_, text, isWhole) => {
  const path = join(dir, 'key');
  await writeFile(path, `${text}\n`);
  await expect(loadOrCreateSecret(path, () => 'new', isWhole)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(/key holds no whole secret \(\d+ characters\)\. Put back .*delete the file/),
  });
  expect(await readFile(path, 'utf8')).toBe(`${text}\n`);
});

test.each([
  ['x'.repeat(32), undefined],
  ['A1'.repeat(32), isHexKey],
])('a whole one is used as it is: %j', async (text, isWhole) => {
  const path = join(dir, 'key');
  await writeFile(path, `${text}\n`);
  expect(await loadOrCreateSecret(path, () => 'new', isWhole)).toBe(text);
});

test('records survive a reopening; a damaged file starts empty', async () => {
  const path = join(dir, 'eras.json');
  const file = await openRecordFile(path, silentLog);
  file.set('a', { era: 'legacy' });
  file.set('b', { era: 'modern' });
  file.set('a', undefined);
  await file.saved();
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ b: { era: 'modern' } });
  expect((await openRecordFile(path, silentLog)).get('b')).toEqual({ era: 'modern' });
  await writeFile(path, '{"b":');
  expect((await openRecordFile(path, silentLog)).get('b')).toBeUndefined();
});
