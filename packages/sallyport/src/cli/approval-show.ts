import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import type { Command } from './command.ts';
import { describeApproval } from './describe-approval.ts';

export const approvalShow: Command = {
  name: 'approval show',
  summary: 'show a call that waits for a person: arguments, reasons, what changed since the last one',
  words: [['<id>', 'as sallyport approval list shows it']],
  example: 'sallyport approval show ap_0123456789abcdef',
  async run(input) {
    const [id = ''] = input.words;
    const approval = await withApi(input, (api) => api.call('showApproval', { path: { id } }));
    return { value: toJson(approval), text: describeApproval(approval) };
  },
};
