import { toApprovalJson } from '../guard/approve/approval.ts';
import { type Command, textOption } from './command.ts';
import { whoAnswers, withApprovals } from './with-approvals.ts';

export const approvalDeny: Command = {
  name: 'approval deny',
  summary: 'deny a call that waits for a person',
  words: [['<id>', 'as sallyport approval list shows it']],
  options: [{ flags: '--message <text>', meaning: 'what the model hears, e.g. what to do instead' }],
  example: 'sallyport approval deny ap_0123456789abcdef --message "Archive it instead"',
  run(input) {
    const [id = ''] = input.words;
    const message = textOption(input.options, 'message');
    const answer = { kind: 'deny', by: whoAnswers(), via: 'command', at: Date.now(), message } as const;
    return withApprovals(input, async ({ approvals }) => {
      const after = await approvals.answer(id, answer);
      return { value: toApprovalJson(after), text: `Denied ${id}.` };
    });
  },
};
