// What each set does, door by door, from the settings that the program resolves: the same table as `sallyport policy sets`.
import { toSetTable } from '../packages/sallyport/dist/guard/set-table.js';

const HEADINGS = {
  'README.md': ['Door', '`laptop` (nothing configured)', '`team`', '`locked`', 'Cost'],
  'README.zh-CN.md': ['关口', '`laptop`（未配置时）', '`team`', '`locked`', '开销'],
};

/** One page in each language. */
export const pages = Object.entries(HEADINGS).map(([page, headings]) => ({
  page,
  sections: () => new Map([['sets', toTable(headings)]]),
}));

function toTable(headings) {
  const rows = toSetTable().map(({ door, setting, sets, cost }) => [
    `${door}<br>\`${setting}\``,
    ...['laptop', 'team', 'locked'].map((set) => sets[set].action),
    cost,
  ]);
  return [headings, headings.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
