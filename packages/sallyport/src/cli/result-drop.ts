import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import type { Command } from './command.ts';
import { REASON_MEANING, readReason } from './read-reason.ts';

export const resultDrop: Command = {
  name: 'result drop',
  summary: 'delete a quarantined result, with a reason',
  words: [['<id>', 'as sallyport result list shows it']],
  options: [{ flags: '--reason <text>', meaning: REASON_MEANING }],
  example: 'sallyport result drop re_0123456789abcdef --reason "an attack"',
  async run(input) {
    const [id = ''] = input.words;
    const reason = readReason(input.options);
    const after = await withApi(input, (api) => api.call('dropResult', { path: { id }, body: { reason } }));
    return { value: toJson(after), text: `Dropped ${id}.` };
  },
};
