import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { type Command, textOption } from './command.ts';

export const resultDrop: Command = {
  name: 'result drop',
  summary: 'delete a result that is kept back, with a reason',
  words: [['<id>', 'as sallyport result list shows it']],
  options: [{ flags: '--reason <text>', meaning: 'why; it stands in the audit' }],
  example: 'sallyport result drop re_0123456789abcdef --reason "an attack"',
  async run(input) {
    const [id = ''] = input.words;
    const reason = textOption(input.options, 'reason');
    if (reason === undefined) throw new FaultError('usage', 'Say why with --reason; it stands in the audit.');
    const after = await withApi(input, (api) => api.call('dropResult', { path: { id }, body: { reason } }));
    return { value: toJson(after), text: `Dropped ${id}.` };
  },
};
