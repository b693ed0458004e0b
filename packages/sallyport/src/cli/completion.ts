import { FaultError } from '../core/errors.ts';
import type { Command } from './command.ts';
import { toCompletionScript } from './completion-script.ts';

/** `table` is read when the command runs: the table has this row in it. */
export function defineCompletion(table: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'print a completion script for a shell',
    words: [['<shell>', 'bash, zsh or fish']],
    example: 'sallyport completion bash > /etc/bash_completion.d/sallyport',
    async run({ words }) {
      const [shell = ''] = words;
      const script = toCompletionScript(shell, table());
      if (script === undefined) throw new FaultError('usage', 'Completion is there for bash, zsh and fish.');
      return { value: { shell, script }, text: script };
    },
  };
}
