import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test } from 'vitest';
import { command } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'command-server-'));
writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
mkdirSync(join(folder, 'inner'));
symlinkSync('/etc', join(folder, 'outside'));
symlinkSync('/etc/passwd', join(folder, 'users'));
afterAll(() => rmSync(folder, { recursive: true }));

const create = () => command({ allowed: ['wc', 'echo', 'sleep'], folder, timeoutMs: 2_000 });
const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  {
    tool: 'execute_command',
    input: { program: 'wc', args: ['-l', 'a.txt'] },
    output: { exit_code: 0, stdout: '2 a.txt\n' },
  },
  { tool: 'execute_command', input: { program: 'echo', args: ['; id', '$(id)'] }, output: { stdout: '; id $(id)\n' } },
  ...[
    '/etc/passwd',
    '../../etc/passwd',
    'inner/../../x',
    '..',
    'outside/passwd',
    'outside/new-file',
    'users',
    '--files0-from=/etc/passwd',
    '-f/etc/passwd',
    '-f../x',
    'if=/etc/passwd',
    '@/etc/passwd',
  ].map((arg) => ({
    tool: 'execute_command',
    input: { program: 'echo', args: [arg] },
    error: /outside the folder of this server.*Use a path inside/,
  })),
  ...[
    '-l',
    'a.txt',
    'inner/../a.txt',
    'inner/new-file',
    's/a/b/',
    '1...2',
    'https://example.com/a',
    'two\nlines: a/b…',
    join(folder, 'a.txt'),
    'x'.repeat(5_000),
  ].map((arg) => ({
    tool: 'execute_command',
    input: { program: 'echo', args: ['-n', '', arg] },
    output: { stdout: ` ${arg}` },
  })),
  { tool: 'execute_command', input: { program: 'sh', args: ['-c', 'id'] }, error: /program/ },
];
for (const { kind, name, run } of serverTests({ create, examples, atOnce: 10 })) test(`${kind}: ${name}`, run);

test('a program that takes too long is stopped, and says so', async () => {
  const client = await connectTestClient(await create());
  expect(await client.call('execute_command', { program: 'sleep', args: ['60'] })).toMatchObject({
    is_timed_out: true,
  });
  await client.close();
});

test('a program that does not exist is named at the start', async () => {
  await expect(command({ allowed: ['no-such-program'], folder })).rejects.toThrow(/no program "no-such-program"/);
});

test('a child that leaves the group of its program keeps nobody waiting', async () => {
  const client = await connectTestClient(await command({ allowed: ['setsid', 'sh'], folder, timeoutMs: 500 }));
  const result = await client.call('execute_command', {
    program: 'sh',
    args: ['-c', "setsid sh -c 'echo $$; exec sleep 60'"],
  });
  process.kill(Number(result['stdout']), 'SIGKILL');
  expect(result).toMatchObject({ is_timed_out: true });
  await client.close();
});
