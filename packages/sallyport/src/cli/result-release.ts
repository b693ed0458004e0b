import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { type Command, textOption } from './command.ts';

export const resultRelease: Command = {
  name: 'result release',
  summary: 'let the caller of a result that is kept back have it, once, with a reason',
  words: [['<id>', 'as sallyport result list shows it']],
  options: [{ flags: '--reason <text>', meaning: 'why; it stands in the audit' }],
  example: 'sallyport result release re_0123456789abcdef --reason "a page about attacks"',
  async run(input) {
    const [id = ''] = input.words;
    const reason = textOption(input.options, 'reason');
    if (reason === undefined) throw new FaultError('usage', 'Say why with --reason; it stands in the audit.');
    const after = await withApi(input, (api) => api.call('releaseResult', { path: { id }, body: { reason } }));
    return { value: toJson(after), text: `Released ${id}. The same call, made again, gets it once.` };
  },
};
