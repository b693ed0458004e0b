import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import type { Command } from './command.ts';

export const planShow: Command = {
  name: 'plan show',
  summary: 'show one plan with its steps',
  words: [['<id>', 'as sallyport plan list shows it']],
  example: 'sallyport plan show pl_0123456789abcdef',
  async run(input) {
    const [id = ''] = input.words;
    const plan = await withApi(input, (api) => api.call('showPlan', { path: { id } }));
    return { value: toJson(plan) };
  },
};
