import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { type Command, textOption } from './command.ts';

export const approvalDeny: Command = {
  name: 'approval deny',
  summary: 'deny a call that waits for a person',
  words: [['<id>', 'as sallyport approval list shows it']],
  options: [{ flags: '--message <text>', meaning: 'what the model hears, e.g. what to do instead' }],
  example: 'sallyport approval deny ap_0123456789abcdef --message "Archive it instead"',
  async run(input) {
    const [id = ''] = input.words;
    const message = textOption(input.options, 'message');
    const after = await withApi(input, (api) => api.call('denyApproval', { path: { id }, body: { message } }));
    return { value: toJson(after), text: `Denied ${id}.` };
  },
};
