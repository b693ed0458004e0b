import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTestClient, readExamples, serverTests } from '@sallyport/kit/testing';
import { afterAll, expect, test } from 'vitest';
import { command } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'command-server-'));
writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
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
