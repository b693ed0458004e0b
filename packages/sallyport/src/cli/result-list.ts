import { allPages } from './all-pages.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { type Command, isSet } from './command.ts';
import { toTable } from './to-table.ts';

export const resultList: Command = {
  name: 'result list',
  summary: 'list the results that are quarantined because of what stands in them',
  options: [{ flags: '--all', meaning: 'those that are released, delivered and dropped, too' }],
  example: 'sallyport result list',
  async run(input) {
    const state = isSet(input.options, 'all') ? undefined : ('held' as const);
    const results = await withApi(input, (api) =>
      allPages((page) => api.call('listResults', { query: { ...page, state } })),
    );
    const cells = results.map((one) => [
      one.id,
      one.state,
      `${one.upstream}/${one.tool}`,
      [...new Set(one.findings.map(({ id }) => id))].join(' '),
      one.expiresAt,
    ]);
    const headings = ['id', 'state', 'tool', 'found', 'expires'];
    return {
      value: toJson(results),
      text: results.length === 0 ? '' : toTable(headings, cells, input.terminal.stdout.columns ?? 0),
      remarks: results.length === 0 ? ['No result is quarantined.'] : [],
    };
  },
};
