import { allPages } from './all-pages.ts';
import { withApi } from './api.ts';
import { type Command, textOption } from './command.ts';
import { toTable } from './to-table.ts';

export const keyList: Command = {
  name: 'key list',
  summary: 'list the API keys: who they are for, whether they work, when they were used last',
  options: [
    { flags: '--state <state>', meaning: 'only keys that are active, expired or revoked' },
    { flags: '--group <group>', meaning: 'only keys of this group' },
  ],
  example: 'sallyport key list --json',
  async run(input) {
    const query = {
      // What is none of the three, the API refuses.
      state: textOption(input.options, 'state') as 'active' | undefined,
      group: textOption(input.options, 'group'),
    };
    const keys = await withApi(input, (api) =>
      allPages((page) => api.call('listKeys', { query: { ...page, ...query } })),
    );
    const cells = keys.map(({ name, id, state, groups, expiresAt, lastUsedAt }) => [
      ...[name, id, state],
      (expiresAt ?? 'never').slice(0, 10),
      lastUsedAt === null ? '-' : lastUsedAt.slice(0, 16),
      groups.join(', '),
    ]);
    const headings = ['name', 'id', 'state', 'expires', 'last used', 'groups'];
    return {
      value: { keys },
      text: keys.length === 0 ? '' : toTable(headings, cells, input.terminal.stdout.columns ?? 0),
      remarks: keys.length === 0 ? ['There are no API keys. "sallyport key create" makes one.'] : [],
    };
  },
};
