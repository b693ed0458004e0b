import type { Outcome } from './compare.ts';
import type { DrillRow } from './measure-drill.ts';
import type { FileRow } from './measure-files.ts';
import type { CallRow, TaskRow, TaskRun } from './measure-tasks.ts';
import type { ServerRow, ToolRow } from './measure-tools.ts';

export type HonestRow = FileRow | ServerRow | ToolRow | TaskRow | DrillRow;

export interface Figure {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  readonly goal: string;
  readonly holds: boolean;
}

interface Definition {
  readonly name: string;
  readonly unit: string;
  readonly goal: { readonly is: '<=' | '>='; readonly bound: number };
  /** Null: it was not measured. */
  measure(rows: readonly HonestRow[]): number | null;
  /** The rows that make it what it is, for people to read. */
  cases(rows: readonly HonestRow[]): readonly HonestRow[];
}

const FIGURES: readonly Definition[] = [
  {
    name: 'honest.altered',
    unit: 'results',
    goal: { is: '<=', bound: 0 },
    measure: (rows) => countResults(rows, 'altered'),
    cases: (rows) => resultsThat(rows, 'altered'),
  },
  {
    name: 'honest.withheld',
    unit: 'results',
    goal: { is: '<=', bound: 0 },
    measure: (rows) => countResults(rows, 'withheld'),
    cases: (rows) => resultsThat(rows, 'withheld'),
  },
  {
    name: 'honest.tools_missing',
    unit: 'tools',
    goal: { is: '<=', bound: 0 },
    measure: (rows) => countTools(rows, 'missing'),
    cases: (rows) => rows.filter(({ table }) => table === 'missing'),
  },
  {
    name: 'honest.block_alarms',
    unit: 'definitions',
    goal: { is: '<=', bound: 0 },
    measure: (rows) => countTools(rows, 'block'),
    cases: (rows) => rows.filter(({ table }) => table === 'block'),
  },
  {
    name: 'honest.warned',
    unit: 'share of results',
    goal: { is: '<=', bound: 0.005 },
    measure: (rows) => shareOf(resultsOf(rows).map(({ outcome }) => outcome.kind === 'warned')),
    cases: (rows) => resultsThat(rows, 'warned'),
  },
  {
    name: 'honest.asked.laptop',
    unit: 'share of calls',
    goal: { is: '<=', bound: 0.01 },
    measure: (rows) => askedOf(rows, 'laptop'),
    cases: (rows) => callsOf(rows, 'laptop').filter(isStopped),
  },
  {
    name: 'honest.asked.team',
    unit: 'share of calls',
    goal: { is: '<=', bound: 0.06 },
    measure: (rows) => askedOf(rows, 'team'),
    cases: (rows) => callsOf(rows, 'team').filter(isStopped),
  },
  {
    name: 'honest.tasks_asked.team',
    unit: 'share of tasks',
    goal: { is: '<=', bound: 0.12 },
    measure: (rows) => tasksAsked(rows, 'team'),
    cases: (rows) => callsOf(rows, 'team').filter(isStopped),
  },
  {
    name: 'honest.drill_default',
    unit: 'of 20 threats',
    goal: { is: '>=', bound: 14 },
    measure: drillContained,
    cases: (rows) => rows.filter((row) => row.table === 'drill' && !row.contained),
  },
];

export function toFigures(rows: readonly HonestRow[]): readonly Figure[] {
  return FIGURES.map(({ name, unit, goal, measure }) => {
    const value = measure(rows);
    const holds = value !== null && (goal.is === '<=' ? value <= goal.bound : value >= goal.bound);
    return { name, value, unit, goal: `${goal.is} ${goal.bound}`, holds };
  });
}

/** The cases behind a figure. @throws Error for a name that is none */
export function casesOf(rows: readonly HonestRow[], figure: string): readonly HonestRow[] {
  const known = FIGURES.find(({ name }) => name === figure);
  if (known === undefined)
    throw new Error(`there is no figure "${figure}"; there are ${FIGURES.map(({ name }) => name).join(', ')}`);
  return known.cases(rows);
}

/** Files and task results with the settings of a new user. */
function resultsOf(rows: readonly HonestRow[]): readonly (FileRow | CallRow)[] {
  return rows.filter(
    (row): row is FileRow | CallRow => row.table === 'files' || (row.table === 'calls' && row.run === 'laptop'),
  );
}

function resultsThat(rows: readonly HonestRow[], kind: Outcome['kind']): readonly HonestRow[] {
  return resultsOf(rows).filter(({ outcome }) => outcome.kind === kind);
}

function callsOf(rows: readonly HonestRow[], run: TaskRun): readonly CallRow[] {
  return rows.filter((row): row is CallRow => row.table === 'calls' && row.run === run);
}

/** Honest work was interrupted: somebody has to approve the call, or nobody can. */
function isStopped({ outcome }: { readonly outcome: Outcome }): boolean {
  return outcome.kind === 'asked' || outcome.kind === 'refused';
}

function countResults(rows: readonly HonestRow[], kind: Outcome['kind']): number | null {
  return resultsOf(rows).length === 0 ? null : resultsThat(rows, kind).length;
}

function countTools(rows: readonly HonestRow[], table: 'missing' | 'block'): number | null {
  if (!rows.some((row) => row.table === 'servers' && row.tools !== undefined)) return null;
  return rows.filter((row) => row.table === table).length;
}

function askedOf(rows: readonly HonestRow[], run: TaskRun): number | null {
  return shareOf(callsOf(rows, run).map(isStopped));
}

function tasksAsked(rows: readonly HonestRow[], run: TaskRun): number | null {
  const calls = callsOf(rows, run);
  const tasks = [...new Set(calls.map(({ task }) => task))];
  return shareOf(tasks.map((task) => calls.some((call) => call.task === task && isStopped(call))));
}

function drillContained(rows: readonly HonestRow[]): number | null {
  const threats = rows.filter((row): row is DrillRow => row.table === 'drill');
  return threats.length === 0 ? null : threats.filter(({ contained }) => contained).length;
}

function shareOf(all: readonly boolean[]): number | null {
  return all.length === 0 ? null : Math.round((all.filter(Boolean).length / all.length) * 10_000) / 10_000;
}
