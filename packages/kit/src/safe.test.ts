import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openArtifacts } from './artifacts.ts';
import { openRoots } from './paths.ts';
import { fetchPublic, isPrivateAddress, toPublicUrl } from './public-fetch.ts';
import { runProgram } from './run-program.ts';
import { readSecrets } from './secrets.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'kit-safe-')));
  mkdirSync(join(folder, 'root/inner'), { recursive: true });
  writeFileSync(join(folder, 'root/inner/a.txt'), 'a');
  writeFileSync(join(folder, 'secret.txt'), 's');
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'root/link'));
  symlinkSync(folder, join(folder, 'root/up'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const signal = () => AbortSignal.timeout(20_000);

describe('paths inside roots', () => {
  test.each([
    '../secret.txt',
    'inner/../../secret.txt',
    'link',
    'up/secret.txt',
    '/etc/passwd',
    'inner\u2025/x',
    'a\0b',
    'new/../../x',
    '\uff0e\uff0e/secret.txt',
  ])('%j is refused', async (path) => {
    const roots = await openRoots([join(folder, 'root')]);
    await expect(roots.resolve(path)).rejects.toMatchObject({ name: 'ToolFailure' });
  });

  test.each([
    ['inner/a.txt', 'inner/a.txt'],
    ['./inner//a.txt', 'inner/a.txt'],
    ['inner/../inner/new file.txt', 'inner/new file.txt'],
    ['..notes/ü.txt', '..notes/ü.txt'],
    ['报告.txt', '报告.txt'],
    ['', ''],
  ])('%j is opened', async (path, found) => {
    const roots = await openRoots([join(folder, 'root')]);
    expect(await roots.resolve(path)).toBe(join(folder, 'root', found));
  });
});

describe('files inside roots', () => {
  test('a folder that becomes a link while a file is opened leads nowhere', async () => {
    const roots = await openRoots([join(folder, 'root')]);
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'outside/a.txt'), 'secret');
    mkdirSync(join(folder, 'root/real'));
    writeFileSync(join(folder, 'root/real/a.txt'), 'public');
    symlinkSync(join(folder, 'outside'), join(folder, 'root/.trap'));
    const read = new Set<string>();
    for (let i = 0; i < 300; i++) {
      const opening = roots.open('real/a.txt').then(
        async (file) => {
          read.add(await file.readFile('utf8'));
          await file.close();
        },
        (error: Error) => read.add(error.name),
      );
      for (let turn = 0; turn < i % 8; turn++) await new Promise((resolve) => setImmediate(resolve));
      renameSync(join(folder, 'root/real'), join(folder, 'root/.real'));
      renameSync(join(folder, 'root/.trap'), join(folder, 'root/real'));
      await opening;
      renameSync(join(folder, 'root/real'), join(folder, 'root/.trap'));
      renameSync(join(folder, 'root/.real'), join(folder, 'root/real'));
    }
    expect(read).not.toContain('secret');
    const file = await roots.open('real/a.txt');
    expect(await file.readFile('utf8')).toBe('public');
    await file.close();
  });
  test.each([['inner', 'a folder']])('%s is %s and not opened', async (path) => {
    const roots = await openRoots([join(folder, 'root')]);
    await expect(roots.open(path)).rejects.toMatchObject({ name: 'ToolFailure' });
  });
});

describe('programs without a shell', () => {
  const options = () => ({
    allowed: new Map([['node', process.execPath]]),
    cwd: folder,
    signal: signal(),
    timeoutMs: 15_000,
    maxBytes: 1_000,
  });
  const print = 'console.log(process.argv.slice(1).join("|"), Object.keys(process.env).length)';

  test('arguments stay arguments, and the environment is empty', async () => {
    const result = await runProgram('node', ['-e', print, '--', '; id', '$(id)', '*'], options());
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^; id\|\$\(id\)\|\* 0\n$/),
      isCut: false,
    });
  });

  test('other programs are refused, long output is cut, and a slow one is killed', async () => {
    await expect(runProgram('sh', ['-c', 'id'], options())).rejects.toMatchObject({ nextStep: 'Use one of node.' });
    const long = await runProgram('node', ['-e', 'process.stdout.write("x".repeat(5000))'], options());
    expect([long.stdout.length, long.isCut]).toEqual([1_000, true]);
    const slow = await runProgram('node', ['-e', 'setInterval(() => {}, 1000)'], { ...options(), timeoutMs: 300 });
    expect(slow).toMatchObject({ isTimedOut: true, signal: 'SIGKILL' });
  });
});

describe('the public web', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '2002:7f00:1::',
    '64:ff9b:1::a00:1',
    'fec0::1',
    '2001:0:7f00:1::',
    '0.0.0.0',
    '100.64.0.1',
    'no address',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));
  test.each(['1.1.1.1', '8.8.8.8', '2606:4700::1111', '172.32.0.1', '100.128.0.1'])('%s is public', (address) =>
    expect(isPrivateAddress(address)).toBe(false),
  );
  test.each([
    'http://localhost/',
    'http://[::1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'file:///etc/passwd',
    'no url',
    'http://user@127.0.0.1/',
  ])('%s is refused', async (address) => {
    await expect(toPublicUrl(address)).rejects.toMatchObject({ name: 'ToolFailure' });
  });
  test('a private address is never asked', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(fetchPublic(`http://127.0.0.1:${port}/`, { signal: signal(), maxBytes: 10 })).rejects.toMatchObject({
      name: 'ToolFailure',
    });
    expect(asked).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('artifacts', () => {
  test('are read whole and in parts, by nobody else, until they expire', async () => {
    let now = Date.now();
    const artifacts = await openArtifacts(join(folder, 'artifacts'), { lifeMs: 1_000, now: () => now });
    const { uri, bytes } = await artifacts.store('0123456789');
    const id = uri.slice('artifact://'.length);
    expect([bytes, (await artifacts.read(id)).toString(), (await artifacts.read(id, 2, 5)).toString()]).toEqual([
      10,
      '0123456789',
      '234',
    ]);
    await expect(artifacts.read('../secret.txt')).rejects.toMatchObject({ name: 'ToolFailure' });
    expect(readdirSync(join(folder, 'artifacts'))).toEqual([id]);
    now += 10_000;
    await expect(artifacts.read(id)).rejects.toMatchObject({ nextStep: 'Call the tool again to get a new one.' });
    await artifacts.store('new');
    expect(readdirSync(join(folder, 'artifacts'))).toHaveLength(1);
  });
});

describe('secrets', () => {
  const rules = {
    WEATHER_KEY: { description: 'key of the weather service', from: 'https://example.com/keys' },
    OTHER: { description: 'other' },
  };
  test('every missing one is named, with where to get it and without any value', () => {
    const read = () => readSecrets({ ...rules, SHAPED: { description: 's', pattern: /^k-/ } }, { SHAPED: 'hunter2' });
    expect(read).toThrow(
      /WEATHER_KEY is not set \(key of the weather service\)\. Get it at https:\/\/example\.com\/keys\. OTHER is not set.*SHAPED does not look right/,
    );
    expect(read).not.toThrow(/hunter2/);
  });
  test('all there', () =>
    expect(readSecrets(rules, { WEATHER_KEY: 'a', OTHER: 'b' })).toEqual({ WEATHER_KEY: 'a', OTHER: 'b' }));
});
