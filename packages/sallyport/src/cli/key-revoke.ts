import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'end an API key for good; a running Sallyport refuses it within a second',
  words: [['<name>', 'its name or id']],
  example: 'sallyport key revoke ci',
  async run(input) {
    const [key = ''] = input.words;
    const value = await withApi(input, (api) => api.call('revokeKey', { path: { key } }));
    return { value, text: `Revoked ${value.name}` };
  },
};
