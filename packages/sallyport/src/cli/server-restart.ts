import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const serverRestart: Command = {
  name: 'server restart',
  summary: 'restart a server of the running Sallyport',
  words: [['<name>', 'its name in the configuration']],
  example: 'sallyport server restart github',
  async run(input) {
    const [name = ''] = input.words;
    const status = await withApi(input, (api) => api.call('restartServer', { path: { name } }));
    return { value: { name, status }, text: `Restarted ${name}` };
  },
};
