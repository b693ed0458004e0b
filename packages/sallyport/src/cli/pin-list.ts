import { allPages } from './all-pages.ts';
import type { ApiResult } from './api.ts';
import { withApi } from './api.ts';
import { type Command, isSet } from './command.ts';
import { toTable } from './to-table.ts';

export const pinList: Command = {
  name: 'pin list',
  summary: 'list the definitions servers offered, and which are approved',
  words: [['[server]', 'its name in the configuration; left out: all']],
  options: [{ flags: '--held', meaning: 'only what may not be used' }],
  example: 'sallyport pin list --held',
  async run(input) {
    const [server] = input.words;
    const state = isSet(input.options, 'held') ? ('held' as const) : undefined;
    let mode = 'laptop';
    const pins = await withApi(input, (api) =>
      allPages(async (page) => {
        const answer = await api.call('listPins', { query: { ...page, server, state } });
        mode = answer.mode;
        return answer;
      }),
    );
    const cells = pins.map((row) => [
      row.server,
      row.item,
      row.state,
      countOf(row),
      row.approvedBy ?? '-',
      row.seenAt ?? '-',
    ]);
    const headings = ['server', 'item', 'state', 'found', 'approved by', 'last new'];
    return {
      value: { mode, pins },
      text: pins.length === 0 ? '' : toTable(headings, cells, input.terminal.stdout.columns ?? 0),
      remarks: pins.length === 0 ? ['Nothing to list.'] : [],
    };
  },
};

/** What reading it found, in one word; a program and a page have no words to read. */
function countOf({ item, found }: ApiResult<'listPins'>['items'][number]): string {
  if (found === null) return item === 'program' || item.startsWith('ui/') ? '-' : 'not read';
  const counts = [found.block > 0 ? `${found.block} block` : '', found.review > 0 ? `${found.review} review` : ''];
  return counts.filter((count) => count !== '').join(', ') || '-';
}
