import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run-command.ts';
import { systemTerminal } from './terminal.ts';

const NOUNS = new Set(COMMANDS.map(({ name }) => name.split(' ')).flatMap(([noun, verb]) => (verb ? [noun] : [])));

test('the help says of each noun what it is, in words of its own', async () => {
  let help = '';
  const screen = new Writable({
    write: (part: Buffer, _encoding, done) => {
      help += part.toString();
      done();
    },
  });
  const stdout = Object.assign(screen, { columns: 200 });
  expect(await runCommand(['--help'], { ...systemTerminal(), stdout }, COMMANDS)).toBe(0);
  const lines = help.split('\n').map((line) => line.trim());
  for (const noun of NOUNS) {
    const said = lines.find((line) => line.startsWith(`${noun} `))?.slice(`${noun} `.length);
    expect(said?.trim(), noun).toMatch(/^the \w+:? \w+/);
  }
  expect(NOUNS.size).toBeGreaterThan(10);
});
