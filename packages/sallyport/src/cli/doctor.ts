import { FaultError } from '../core/errors.ts';
import type { Command } from './command.ts';
import { TARGET_FLAGS } from './resolve-target.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'explain step by step why a connection fails, and how to mend it',
  words: [
    ['[target]', 'a URL, a file, a saved server or a command after --; left out: all servers of the configuration'],
  ],
  options: TARGET_FLAGS,
  dashes: 'target',
  example: 'sallyport doctor https://example.com/mcp',
  run: async () => {
    throw new FaultError('internal', 'The doctor is not in yet.');
  },
};
