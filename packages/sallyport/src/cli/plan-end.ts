import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import type { Command } from './command.ts';

export const planEnd: Command = {
  name: 'plan end',
  summary: 'end a run that has a plan: whatever it asks for from now on is refused',
  words: [['<id>', 'as sallyport plan list shows it']],
  example: 'sallyport plan end pl_0123456789abcdef',
  async run(input) {
    const [id = ''] = input.words;
    const after = await withApi(input, (api) => api.call('endPlan', { path: { id } }));
    return { value: toJson(after), text: `Ended ${id}: the run ${after.run} gets nothing any more.` };
  },
};
