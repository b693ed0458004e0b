import { withApi } from './api.ts';
import type { Command } from './command.ts';
import { describeUnusable } from './describe-tally.ts';
import { openConfig } from './edit-config.ts';
import { findWritten } from './find-written.ts';
import { liveServers } from './live-servers.ts';
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
    const live = (await withApi(input, liveServers))?.get(name);
    const unusable = describeUnusable(name, live?.definitions);
    return {
      value: { name, file: open.file, server: maskSecrets(entry), status: live ?? null },
      remarks: unusable === undefined ? [] : [unusable],
    };
  },
};
