import type { Command } from './command.ts';
import { withApprovals } from './with-approvals.ts';

export const approvalRevoke: Command = {
  name: 'approval revoke',
  summary: 'take back what was allowed for a run or always',
  words: [['<grant>', 'as sallyport approval list --grants shows it']],
  example: 'sallyport approval revoke gr_0123456789abcdef',
  run(input) {
    const [id = ''] = input.words;
    return withApprovals(input, async ({ grants }) => {
      await grants.revoke(id);
      return { value: { id, revoked: true }, text: `Revoked ${id}.` };
    });
  },
};
