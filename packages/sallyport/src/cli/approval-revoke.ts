import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const approvalRevoke: Command = {
  name: 'approval revoke',
  summary: 'take back what was allowed for a run or always',
  words: [['<grant>', 'as sallyport approval list --grants shows it']],
  example: 'sallyport approval revoke gr_0123456789abcdef',
  async run(input) {
    const [id = ''] = input.words;
    const { revoked } = await withApi(input, (api) => api.call('revokeGrant', { path: { id } }));
    return { value: { id, revoked }, text: `Revoked ${id}.` };
  },
};
