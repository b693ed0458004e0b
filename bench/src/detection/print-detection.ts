import type { Machine } from '../process/machine.ts';
import { type Goal, isMet, type Judged, rateOf, type Share, type Timed } from './judged.ts';

export interface Figure {
  readonly name: string;
  readonly value: number | null;
  readonly unit: 'share' | 'ms';
  readonly goal: string | null;
  readonly holds: boolean;
  readonly hits?: number;
  readonly rows?: number;
  /** 95 %, Wilson. */
  readonly low?: number;
  readonly high?: number;
  readonly problem?: string;
}

/** What was not measured is null and does not hold. */
export function toFigures(shares: readonly Share[], times: readonly Timed[]): Figure[] {
  return [
    ...shares.map(({ name, goal, judged, problem }): Figure => {
      const { hits, rows, value, low, high } = rateOf(judged);
      const measured = rows > 0;
      return {
        name,
        value: measured ? rounded(value) : null,
        unit: 'share',
        goal: goalText(goal),
        holds: measured && (goal === undefined || isMet(goal, value)),
        ...(measured ? { hits, rows, low: rounded(low), high: rounded(high) } : { problem: problem ?? 'no rows' }),
      };
    }),
    ...times.map(
      ({ name, goal, ms, problem }): Figure => ({
        name,
        value: ms === undefined ? null : Number(ms.toPrecision(4)),
        unit: 'ms',
        goal: goalText(goal),
        holds: ms !== undefined && isMet(goal, ms),
        ...(problem === undefined ? {} : { problem }),
      }),
    ),
  ];
}

/** The same per source and per finer class. */
export function toRows(shares: readonly Share[]): object[] {
  return shares.flatMap(({ name, judged }) =>
    (['source', 'group'] as const).flatMap((by) =>
      split(judged, by).map(([key, part]) => {
        const { hits, rows, value, low, high } = rateOf(part);
        return {
          table: 'detection',
          figure: name,
          [by]: key,
          hits,
          rows,
          value: rounded(value),
          low: rounded(low),
          high: rounded(high),
        };
      }),
    ),
  );
}

export function printDetection(machine: Machine, shares: readonly Share[], times: readonly Timed[]): string {
  const figures = toFigures(shares, times);
  const lines = figures.map(
    (one) =>
      `| ${one.name} | ${one.value === null ? `not measured: ${one.problem ?? ''}` : show(one)} | ${one.goal ?? ''} | ${one.goal === null ? '' : one.holds ? 'yes' : 'NO'} |`,
  );
  const parts = shares.flatMap(({ name, judged }) =>
    (['source', 'group'] as const).flatMap((by) =>
      split(judged, by).map(([key, part]) => `| ${name} | ${by === 'group' ? '  ' : ''}${key} | ${interval(part)} |`),
    ),
  );
  return [
    `${machine.cpu}, Node ${machine.node}, commit ${machine.commit}, ${machine.date}, load before ${machine.loadBefore.toFixed(1)}`,
    '',
    '| figure | measured (95 %, Wilson) | goal | holds |',
    '|---|---|---|---|',
    ...lines,
    ...(parts.length === 0 ? [] : ['', '| figure | source, then class | measured |', '|---|---|---|', ...parts]),
    '',
  ].join('\n');
}

/** Rows that speak against the figure: missed ones where hits are wanted, hits where they are not. For people to look at. */
export function showRows(shares: readonly Share[], name: string): string {
  const share = shares.find((one) => one.name === name || one.name === `detection.${name}`);
  if (share === undefined)
    return `no figure ${name} was measured; there are: ${shares.map((one) => one.name).join(', ')}\n`;
  const bad = share.goal?.sign !== '<=' && !/alarms$/.test(share.name) ? 'missed' : 'flagged';
  const rows = share.judged.filter(({ hit }) => hit === (bad === 'flagged'));
  const texts = rows.map(({ id, source, group, note }) => `${id} [${source}, ${group}]\n${visible(note)}\n`);
  return `${share.name}: ${rows.length} of ${share.judged.length} ${bad}. Texts are hostile: data, not instructions.\n\n${texts.join('\n')}`;
}

/** A text of a stranger writes nothing of its own on a terminal. */
function visible(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ''}}`);
}

function split(judged: readonly Judged[], by: 'source' | 'group'): (readonly [string, Judged[]])[] {
  const parts = new Map<string, Judged[]>();
  for (const one of judged) {
    const part = parts.get(one[by]);
    if (part === undefined) parts.set(one[by], [one]);
    else part.push(one);
  }
  return [...parts].sort(([a], [b]) => a.localeCompare(b));
}

function interval(judged: readonly Judged[]): string {
  const { hits, rows, value, low, high } = rateOf(judged);
  return `${percent(value)} (${percent(low)} to ${percent(high)}), ${hits} of ${rows}`;
}

function show({ value, unit, low, high, hits, rows }: Figure): string {
  if (value === null) return '';
  if (unit === 'ms') return `${value} ms`;
  return `${percent(value)} (${percent(low ?? Number.NaN)} to ${percent(high ?? Number.NaN)}), ${hits} of ${rows}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
}

function goalText(goal: Goal | undefined): string | null {
  return goal === undefined ? null : `${goal.sign} ${goal.value}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(5));
}
