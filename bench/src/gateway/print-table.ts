import type { Machine } from '../process/machine.ts';
import type { Figure, Results } from './figures.ts';
import { type Measure, medianOf, type Row, ratioOf } from './rows.ts';

const COLUMNS: readonly (readonly [string, Measure, number])[] = [
  ['calls/s', 'callsPerSecond', 0],
  ['p50 ms', 'p50', 2],
  ['p95 ms', 'p95', 2],
  ['p99 ms', 'p99', 2],
  ['CPU us/call', 'cpuUs', 0],
  ['peak MB', 'peakMb', 0],
];

/** The results for people, in Markdown; in parentheses the ratio to raw. */
export function printTable(machine: Machine, results: Results, figures: readonly Figure[]): string {
  const parts = [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}, ` +
      `commit ${machine.commit}, ${machine.date}, load before ${machine.loadBefore.toFixed(1)}`,
    ...cellsOf(results.rows).map(printCell),
    printFootprints(results),
    printFigures(figures),
  ];
  return `${parts.join('\n\n')}\n`;
}

function cellsOf(rows: readonly Row[]): Row[][] {
  const cells = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.tool} ${row.era} ${row.callers}`;
    const known = cells.get(key);
    if (known === undefined) cells.set(key, [row]);
    else known.push(row);
  }
  return [...cells.values()];
}

function printCell(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const raw = rows.find((row) => row.program === 'raw');
  const title = `### ${first.tool}, ${first.era}, ${first.callers} ${first.callers === 1 ? 'caller' : 'callers'}`;
  const header = ['program', 'upstream', ...COLUMNS.map(([name]) => name)];
  const lines = rows.map((row) => [
    row.program,
    row.via,
    ...COLUMNS.map(([, measure, digits]) => withRatio(row, raw, { measure, digits })),
  ]);
  const problems = rows.flatMap((row) =>
    row.problem === undefined ? [] : [`- ${row.program} ${row.via}: ${row.errors} errors; ${firstLine(row.problem)}`],
  );
  return [title, '', table(header, lines), ...(problems.length > 0 ? ['', ...problems] : [])].join('\n');
}

function printFootprints({ footprints, ten }: Results): string {
  const raw = footprints.find((one) => one.program === 'raw');
  const header = ['program', 'upstream', 'idle MB', 'KiB per idle session', 'sessions', 'start to first list ms'];
  const against = (value: number, base: number | undefined, digits: number): string =>
    number(value, digits) + ratio(value / (base ?? Number.NaN));
  const lines = footprints.map((one) => [
    one.program,
    one.via,
    against(one.idleMb, raw?.idleMb, 0),
    against(one.sessionKib, raw?.sessionKib, 0),
    String(one.sessions),
    against(one.firstListMs, raw?.firstListMs, 0),
  ]);
  if (ten !== undefined) {
    lines.push([
      'sallyport',
      '5 http, 5 stdio',
      against(ten.idleMb, raw?.idleMb, 0),
      '-',
      '-',
      against(ten.firstListMs, raw?.firstListMs, 0),
    ]);
  }
  const all = [...footprints, ...(ten === undefined ? [] : [{ program: 'sallyport', via: 'ten', ...ten }])];
  const problems = all.flatMap((one) =>
    one.problem === undefined ? [] : [`- ${one.program} ${one.via}: ${firstLine(one.problem)}`],
  );
  const title = '### memory and start';
  return [title, '', table(header, lines), ...(problems.length > 0 ? ['', ...problems] : [])].join('\n');
}

function printFigures(figures: readonly Figure[]): string {
  const lines = figures.map(({ name, value, unit, goal, holds }) => [
    name,
    value === null ? 'not measured' : `${value} ${unit}`,
    goal ?? 'none',
    goal === null ? '' : holds ? 'holds' : 'MISSED',
  ]);
  return `### figures\n\n${table(['figure', 'value', 'goal', ''], lines)}`;
}

function withRatio(
  row: Row,
  raw: Row | undefined,
  { measure, digits }: { readonly measure: Measure; readonly digits: number },
): string {
  const text = number(medianOf(row, measure), digits);
  return raw === undefined ? text : text + ratio(ratioOf(row, raw, measure));
}

function ratio(value: number): string {
  if (!Number.isFinite(value)) return '';
  return ` (${value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2)})`;
}

function number(value: number, digits: number): string {
  if (!Number.isFinite(value)) return '-';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = header.map((name, at) => Math.max(3, name.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    `| ${widths.map((width, at) => (at < 2 ? (line[at] ?? '').padEnd(width) : (line[at] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (at < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [print(header), rule, ...lines.map(print)].join('\n');
}

function firstLine(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
