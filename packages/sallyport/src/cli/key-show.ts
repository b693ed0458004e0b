import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const keyShow: Command = {
  name: 'key show',
  summary: 'show one API key, not its secret',
  words: [['<name>', 'its name or id']],
  example: 'sallyport key show ci',
  async run(input) {
    const [key = ''] = input.words;
    return { value: await withApi(input, (api) => api.call('showKey', { path: { key } })) };
  },
};
