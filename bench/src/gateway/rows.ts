import type { Latency } from '../load/latency.ts';
import { median } from '../load/latency.ts';
import type { Era, Tool } from '../load/messages.ts';
import type { Program, Via } from '../programs/program.ts';

/** What one table row stands for. */
export interface Cell {
  readonly tool: Tool;
  readonly era: Era;
  readonly callers: number;
}

/** One window of one program. */
export interface Sample extends Latency {
  readonly callsPerSecond: number;
  /** CPU time of the program per right answer; NaN for `direct`. */
  readonly cpuUs: number;
  readonly peakMb: number;
  /** Share of one core the load generator used. */
  readonly loadBusy: number;
}

export type Measure = keyof Sample;

/** All rounds of one program in one cell. `samples[i]` was taken in round `i`, or is undefined when it failed there. */
export interface Row extends Cell {
  readonly program: string;
  readonly kind: Program['kind'];
  readonly via: Via;
  readonly samples: readonly (Sample | undefined)[];
  readonly errors: number;
  /** Why there are no or fewer samples. */
  readonly problem: string | undefined;
}

/** One program in one cell? */
export function isSameRow(one: Row, other: Row): boolean {
  const { program, via, tool, era, callers } = one;
  return (
    program === other.program &&
    via === other.via &&
    tool === other.tool &&
    era === other.era &&
    callers === other.callers
  );
}

/** The rounds of both. All programs of a cell have as many, so that each round keeps its place beside theirs. */
export function joinRows(first: Row, later: Row): Row {
  return {
    ...first,
    samples: [...first.samples, ...later.samples],
    errors: first.errors + later.errors,
    problem: first.problem ?? later.problem,
  };
}

/** The median over the rounds; NaN when there were none. */
export function medianOf(row: Row, measure: Measure): number {
  return median(row.samples.flatMap((sample) => (sample === undefined ? [] : [sample[measure]])));
}

/**
 * The median of the rounds' own ratios of `row` to `base`. Both were measured within seconds of each other in each
 * round, so what the machine does meanwhile cancels, which it would not in a ratio of two medians.
 */
export function ratioOf(row: Row, base: Row, measure: Measure): number {
  return combine(row, base, (ours, theirs) => ours[measure] / theirs[measure]);
}

/** The median of the rounds' own differences. */
export function differenceOf(row: Row, base: Row, measure: Measure): number {
  return combine(row, base, (ours, theirs) => ours[measure] - theirs[measure]);
}

function combine(row: Row, base: Row, join: (ours: Sample, theirs: Sample) => number): number {
  const joined: number[] = [];
  for (const [round, ours] of row.samples.entries()) {
    const theirs = base.samples[round];
    if (ours !== undefined && theirs !== undefined) joined.push(join(ours, theirs));
  }
  return median(joined);
}
