import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Command } from './command.ts';
import { findStateDir } from './config-file.ts';
import { askRunning } from './control-socket.ts';

export const serverRestart: Command = {
  name: 'server restart',
  summary: 'restart a server of the running Sallyport',
  words: [['<name>', 'its name in the configuration']],
  example: 'sallyport server restart github',
  async run(input) {
    const [name = ''] = input.words;
    const answer = await askRunning(findStateDir(input.terminal), { verb: 'restart', server: name });
    if (answer === undefined) {
      throw new FaultError('unreachable', 'No Sallyport is running for this user. Start one with "sallyport up".');
    }
    return { value: { name, status: member(answer, 'status') ?? null }, text: `Restarted ${name}` };
  },
};
