import type { Era, Tool } from '../load/messages.ts';
import type { Footprint, TenUpstreams } from './footprint.ts';
import { differenceOf, type Measure, type Row, ratioOf } from './rows.ts';

/** One figure of design.md's "Benches and figures". `value` is null, and `holds` false, when it was not measured. */
export interface Figure {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  /** `null`: measured to be known. */
  readonly goal: string | null;
  readonly holds: boolean;
}

export interface Results {
  readonly rows: readonly Row[];
  readonly footprints: readonly Footprint[];
  readonly ten: TenUpstreams | undefined;
}

const DEFAULT = { program: 'default', tool: 'echo', callers: 16 } as const;
const GUARDED = { program: 'guarded', tool: 'echo', callers: 16 } as const;
const ALL = { program: 'all', tool: 'echo', callers: 16 } as const;
const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Names, meanings and goals are those of bench/README.md and keep for good. */
export function computeFigures({ rows, footprints, ten }: Results): Figure[] {
  const find = (program: string, via: string, cell: { tool: Tool; era: Era; callers: number }): Row | undefined =>
    rows.find(
      (row) =>
        row.program === program &&
        row.via === via &&
        row.tool === cell.tool &&
        row.era === cell.era &&
        row.callers === cell.callers,
    );
  /** Sallyport against a program over HTTP, in each era. There is no raw proxy for pipes: over stdio the base stays. */
  const compare = (
    cell: { readonly tool: Tool; readonly callers: number; readonly via?: string; readonly program?: string },
    join: (ours: Row, base: Row) => number,
    baseName = 'raw',
  ): number[] =>
    ERAS.map((era) => {
      const ours = find(cell.program ?? 'sallyport', cell.via ?? 'http', { ...cell, era });
      const base = find(baseName, 'http', { ...cell, era });
      return ours === undefined || base === undefined ? Number.NaN : join(ours, base);
    });
  const perCpuSecond = (ours: Row, base: Row): number => ratioOf(base, ours, 'cpuUs');
  const versusPeers = ERAS.flatMap((era) => {
    const ours = find('sallyport', 'http', { tool: 'echo', era, callers: 16 });
    const peers = rows.filter(
      (row) => row.kind === 'peer' && row.era === era && row.tool === 'echo' && row.callers === 16 && hasSamples(row),
    );
    return ours === undefined || peers.length === 0 ? [Number.NaN] : peers.map((peer) => perCpuSecond(ours, peer));
  });
  const addedUs = (ours: Row, base: Row): number => differenceOf(ours, base, 'cpuUs');
  const by = (measure: Measure) => (ours: Row, base: Row) => ratioOf(ours, base, measure);
  const own = footprints.find((one) => one.program === 'sallyport' && one.via === 'http');

  return [
    atLeast('gateway.echo.vs_raw', worst(compare({ tool: 'echo', callers: 16 }, perCpuSecond)), 0.75),
    atLeast('gateway.echo.vs_sdk', worst(compare({ tool: 'echo', callers: 16 }, perCpuSecond, 'sdk-relay')), 14),
    atLeast('gateway.echo.vs_peer', worst(versusPeers), 5),
    atLeast('gateway.big.vs_raw', worst(compare({ tool: 'big', callers: 16 }, perCpuSecond)), 0.8),
    atLeast('gateway.stdio.vs_raw', worst(compare({ tool: 'echo', callers: 16, via: 'stdio' }, perCpuSecond)), 0.4),
    atMost(
      'gateway.added_p50_ms',
      highest(compare({ tool: 'echo', callers: 1 }, (ours, base) => differenceOf(ours, base, 'p50'))),
      { goal: 0.15, unit: 'ms' },
    ),
    atMost('gateway.p99_vs_raw', highest(compare({ tool: 'echo', callers: 16 }, by('p99'))), { goal: 2, unit: 'x' }),
    withoutGoal('gateway.default.vs_raw', worst(compare(DEFAULT, perCpuSecond)), 'x'),
    withoutGoal('gateway.default.added_us', highest(compare(DEFAULT, addedUs, 'sallyport')), 'us'),
    atLeast('gateway.guarded.vs_raw', worst(compare(GUARDED, perCpuSecond)), 0.5),
    atLeast('gateway.guarded.vs_sdk', worst(compare(GUARDED, perCpuSecond, 'sdk-relay')), 10),
    atMost('gateway.guarded.p99_vs_raw', highest(compare(GUARDED, by('p99'))), { goal: 3, unit: 'x' }),
    atLeast('gateway.all.vs_raw', worst(compare(ALL, perCpuSecond)), 0.4),
    atLeast('gateway.all.vs_sdk', worst(compare(ALL, perCpuSecond, 'sdk-relay')), 8),
    atMost('gateway.session_kib', own?.sessionKib ?? Number.NaN, { goal: 60, unit: 'KiB' }),
    atMost('gateway.idle_mb', ten?.idleMb ?? Number.NaN, { goal: 120, unit: 'MB' }),
    atMost('gateway.first_list_ms', ten?.firstListMs ?? Number.NaN, { goal: 1000, unit: 'ms' }),
  ];
}

function hasSamples(row: Row): boolean {
  return row.samples.some((sample) => sample !== undefined);
}

/** The worse era counts; NaN, not measured, is worse than anything. */
function worst(values: readonly number[]): number {
  return Math.min(...values);
}

function highest(values: readonly number[]): number {
  return Math.max(...values);
}

function atLeast(name: string, value: number, goal: number): Figure {
  return { name, value: rounded(value), unit: 'x', goal: `>= ${goal}`, holds: value >= goal };
}

function atMost(name: string, value: number, { goal, unit }: { readonly goal: number; readonly unit: string }): Figure {
  return { name, value: rounded(value), unit, goal: `<= ${goal}`, holds: value <= goal };
}

function withoutGoal(name: string, value: number, unit: string): Figure {
  return { name, value: rounded(value), unit, goal: null, holds: Number.isFinite(value) };
}

function rounded(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null;
}
