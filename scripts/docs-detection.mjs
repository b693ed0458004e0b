// The figures of docs/detection.md, from a run of the bench; needs the build:
//   npm run -s bench -- detection --data DIR --json | node scripts/docs-detection.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { replaceSection } from './docs-section.mjs';

const page = fileURLToPath(new URL('../docs/detection.md', import.meta.url));
const bench = fileURLToPath(new URL('../bench/README.md', import.meta.url));

/** Figures with a goal, as bench/README.md has them: name -> goal and what is counted. */
export function readGoals() {
  const part = /^## Detection$(.*?)^## /ms.exec(readFileSync(bench, 'utf8'))?.[1] ?? '';
  const rows = [...part.matchAll(/^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$/gm)];
  return new Map(
    rows.flatMap(([, names, goal, counted]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, { goal: showGoal(goal.trim()), counted }]),
    ),
  );
}

/** `>= 0.9` -> at least 90 %; times keep their unit, and a share without a sign is to be reached as it is. */
function showGoal(goal) {
  const [, sign = '', number = '', unit] = /^(>=|<=)? ?([\d.]+)( ms)?$/.exec(goal) ?? [];
  const value = unit === undefined ? `${Number((Number(number) * 100).toFixed(4))} %` : `${number}${unit}`;
  if (sign === '' || number === '0' || (number === '1' && sign === '>=')) return value;
  return `${sign === '>=' ? 'at least' : 'at most'} ${value}`;
}

function toRow({ name, value, unit, holds, hits, rows, low, high, problem }, goals) {
  const { goal = '', counted = '' } = goals.get(name) ?? {};
  const shown = value === null ? `not measured: ${problem}` : unit === 'ms' ? `${value} ms` : showShare();
  return `| \`${name}\` | ${counted} | ${goal} | ${shown}${goal === '' || holds ? '' : ' (missed)'} |`;

  function showShare() {
    return `${percent(value)}, ${hits} of ${rows} (${percent(low)} to ${percent(high)})`;
  }
}

function percent(share) {
  return `${Number((share * 100).toFixed(share < 0.01 ? 2 : 1))} %`;
}

function toText({ machine, read, figures }) {
  const goals = readGoals();
  const { cpu, cores, memoryGb, node, commit, date, loadBefore } = machine;
  const wanted = figures.filter(({ name }) => goals.has(name));
  const half = read.every((file) => file.includes('.heldout.')) ? 'held-out' : 'development';
  return [
    `Measured on ${date.slice(0, 10)} at commit ${commit.slice(0, 7)}, ${half} half, on ${cores} cores (${cpu}), ${memoryGb} GiB, Node ${node.slice(1)}, load`,
    `before ${loadBefore.toFixed(1)}. ${wanted.filter(({ holds }) => holds).length} of ${wanted.length} goals hold. In brackets: Wilson's 95 % interval.`,
    '',
    '| Figure | What is counted | Goal | Measured |',
    '| --- | --- | --- | --- |',
    ...wanted.map((figure) => toRow(figure, goals)),
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const run = JSON.parse(readFileSync(0, 'utf8'));
  writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), 'figures', toText(run)));
}
