import { FaultError } from '../core/errors.ts';
import { toApprovalJson } from '../guard/approve/approval.ts';
import type { Command } from './command.ts';
import { describeApproval } from './describe-approval.ts';
import { withApprovals } from './with-approvals.ts';

export const approvalShow: Command = {
  name: 'approval show',
  summary: 'show a call that waits for a person: arguments, reasons, what changed since the last one',
  words: [['<id>', 'as sallyport approval list shows it']],
  example: 'sallyport approval show ap_0123456789abcdef',
  run(input) {
    const [id = ''] = input.words;
    return withApprovals(input, async ({ approvals }) => {
      const approval = await approvals.get(id);
      if (approval === undefined) throw new FaultError('not_found', `There is no approval ${id.slice(0, 64)}.`);
      return { value: toApprovalJson(approval), text: describeApproval(approval) };
    });
  },
};
