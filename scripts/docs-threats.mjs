// Which settings contain which threat of the drill, from the table that its test holds the program to.
import { containedWith } from '../packages/sallyport/dist/drill/promises.js';
import { SCENARIOS } from '../packages/sallyport/dist/drill/scenarios.js';

export const page = 'docs/threats.md';

const COLUMNS = ['laptop', 'team', 'locked', 'guide-team'];

export function sections() {
  const rows = SCENARIOS.map(({ name }) => [
    `\`${name}\``,
    ...COLUMNS.map((column) => (containedWith(name).includes(column) ? 'contained' : '–')),
  ]);
  const counts = COLUMNS.map((column) => SCENARIOS.filter(({ name }) => containedWith(name).includes(column)).length);
  const headings = ['Threat', 'new user (`laptop`)', '`--set team`', '`--set locked`', '`--guide-team`'];
  const table = [
    headings,
    headings.map(() => '---'),
    ...rows,
    ['all', ...counts.map((count) => `${count} of ${rows.length}`)],
  ];
  return new Map([['contained', table.map((row) => `| ${row.join(' | ')} |`).join('\n')]]);
}
