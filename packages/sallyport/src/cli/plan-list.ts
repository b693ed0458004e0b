import { allPages } from './all-pages.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import type { Command } from './command.ts';
import { toTable } from './to-table.ts';

export const planList: Command = {
  name: 'plan list',
  summary: 'list the plans of runs',
  example: 'sallyport plan list',
  async run(input) {
    const plans = await withApi(input, (api) => allPages((page) => api.call('listPlans', { query: page })));
    const cells = plans.map((one) => [
      one.id,
      one.state,
      one.run,
      one.agent === null ? one.principal : `${one.principal} (${one.agent})`,
      String(one.steps),
      one.fixedBy ?? 'the client',
    ]);
    const headings = ['id', 'state', 'run', 'caller', 'steps', 'fixed by'];
    return {
      value: toJson(plans),
      text: plans.length === 0 ? '' : toTable(headings, cells, input.terminal.stdout.columns ?? 0),
      remarks: plans.length === 0 ? ['There are no plans.'] : [],
    };
  },
};
