import { removeServer } from '../config/edit-file.ts';
import { FaultError } from '../core/errors.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import type { Command } from './command.ts';
import { openConfig } from './edit-config.ts';
import { findWritten } from './find-written.ts';

export const serverRemove: Command = {
  name: 'server remove',
  summary: 'remove a server from the configuration',
  words: [['<name>', 'its name in the configuration']],
  example: 'sallyport server remove github',
  async run(input) {
    const [name = ''] = input.words;
    const open = openConfig(input);
    findWritten(open, name);
    const text = removeServer(open.text, open.yaml, name);
    if (text === undefined)
      throw new FaultError(
        'config',
        `${open.file}: the server "${name}" could not be taken out; edit the file by hand.`,
      );
    writeFileAtomically(open.file, text);
    return { value: { name, file: open.file }, text: `Removed ${name} from ${open.file}` };
  },
};
