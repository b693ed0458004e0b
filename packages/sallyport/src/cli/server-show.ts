import { member } from '../core/json.ts';
import type { Command } from './command.ts';
import { findStateDir } from './config-file.ts';
import { askRunning } from './control-socket.ts';
import { openConfig } from './edit-config.ts';
import { findWritten } from './find-written.ts';
import { maskSecrets } from './mask-secrets.ts';

export const serverShow: Command = {
  name: 'server show',
  summary: 'show one server as it is written and, when Sallyport is running, how it is',
  words: [['<name>', 'its name in the configuration']],
  example: 'sallyport server show github',
  async run(input) {
    const [name = ''] = input.words;
    const open = openConfig(input);
    const entry = findWritten(open, name);
    const live = member(member(await askRunning(findStateDir(input.terminal), { verb: 'status' }), 'servers'), name);
    return { value: { name, file: open.file, server: maskSecrets(entry), status: live ?? null } };
  },
};
