import type { Figure, HonestRow } from './figures.ts';

/** Figures as a table, and what was measured. */
export function printHonest(figures: readonly Figure[], rows: readonly HonestRow[]): string {
  const count = (table: HonestRow['table']) => rows.filter((row) => row.table === table).length;
  const servers = rows.filter((row) => row.table === 'servers');
  const started = servers.filter((row) => row.tools !== undefined);
  const tools = started.reduce((all, row) => all + (row.tools ?? 0), 0);
  const lines = figures.map(
    ({ name, value, unit, goal, holds }) =>
      `| ${name} | ${value ?? 'not measured'} | ${unit} | ${goal} | ${holds ? 'yes' : 'no'} |`,
  );
  return [
    '| figure | value | unit | goal | holds |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `Files: ${count('files')}. Servers: ${started.length} of ${servers.length}, ${tools} tools. Calls in both runs: ${count('calls')}, left out: ${count('left-out')}.`,
    '',
  ].join('\n');
}
