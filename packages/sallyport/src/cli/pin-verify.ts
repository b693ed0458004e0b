import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import { type Command, type Input, textOption } from './command.ts';
import { toTable } from './to-table.ts';

export const pinVerify: Command = {
  name: 'pin verify',
  summary: 'ask the servers what they offer; exit 1 when it is not what is locked, or approved',
  options: [
    {
      flags: '--lock <file>',
      meaning: 'compare with this lock file; left out: pins.lockFile in mode locked, else what was approved',
    },
  ],
  example: 'sallyport pin verify --lock sallyport.lock.json',
  async run(input) {
    const lock = readLock(input);
    const { matches, definitions, differences, warnings } = await withApi(input, (api) =>
      api.call('verifyPins', { body: { lock } }),
    );
    return {
      value: { matches, differences, warnings },
      text: matches
        ? `All ${definitions} definitions are as expected.`
        : toTable(
            ['server', 'item', 'problem'],
            differences.map((one) => [one.server, one.item, one.problem]),
            0,
          ),
      remarks: warnings,
      exit: matches ? 0 : 1,
    };
  },
};

function readLock({ options, terminal }: Input): string | undefined {
  const named = textOption(options, 'lock');
  if (named === undefined) return undefined;
  const file = resolve(terminal.cwd, named);
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new FaultError('config', `The lock file ${file} cannot be read. Write it with "sallyport pin lock".`, {
      cause,
    });
  }
}
