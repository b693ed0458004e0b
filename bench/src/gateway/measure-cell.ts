import type { LoadProcess } from '../load/load-process.ts';
import { cpuBetween, programProcesses, resetPeaks, usageOf } from '../process/process-tree.ts';
import { UPSTREAM_MARK } from '../programs/programs.ts';
import type { OpenCallers } from './open-callers.ts';
import type { Cell, Row, Sample } from './rows.ts';

export interface Pace {
  /** Fewer, but not under `LEAST_ROUNDS`, when the cell's time is up. */
  readonly rounds: number;
  /** The most unmeasured load before the first round, for the programs with little to spare ({@link warmUp}). */
  readonly warmMs: number;
  /** Window of the programs whose ratio is a figure with little to spare. */
  readonly closeMs: number;
  /** Window of the others, which are away by a factor. */
  readonly farMs: number;
}

/** What a median needs. */
const LEAST_ROUNDS = 3;
/** Unmeasured load before each window. */
const WAKE_MS = 40;
/** A program is warm when so many windows in a row were no faster than those before, by more than they differ anyway. */
const WARM_WINDOW_MS = 500;
const WARM_WINDOWS = 4;
const WARM_GAIN = 0.98;

interface Entrant extends Pick<OpenCallers, 'instance' | 'key'> {
  readonly samples: (Sample | undefined)[];
  errors: number;
  problem: string | undefined;
}

/** Every program that speaks the cell's era, in turns: each round measures each once, beginning with another one. */
export async function measureCell(
  cell: Cell,
  opened: readonly OpenCallers[],
  { load, pace, untilMs }: { readonly load: LoadProcess; readonly pace: Pace; readonly untilMs: number },
): Promise<Row[]> {
  const entrants: Entrant[] = opened
    .filter(({ era }) => era === cell.era)
    .map(({ instance, key, problem }) => ({ instance, key, samples: [], errors: 0, problem }));
  for (const entrant of entrants) {
    if (entrant.problem !== undefined) continue;
    try {
      await warmUp(entrant, cell, { load, pace });
    } catch (error) {
      entrant.problem = error instanceof Error ? error.message : String(error);
    }
  }
  for (let round = 0; round < pace.rounds; round += 1) {
    if (round >= LEAST_ROUNDS && performance.now() > untilMs) break;
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const entrant = entrants[(turn + round) % entrants.length];
      if (entrant === undefined) continue;
      entrant.samples[round] =
        entrant.problem === undefined ? await takeSample(entrant, cell, { load, pace }) : undefined;
    }
  }
  return entrants.map(({ instance, samples, errors, problem }) => {
    const { name, kind } = instance.program;
    return { ...cell, program: name, kind, via: instance.via, samples, errors, problem };
  });
}

/**
 * Load until a program no longer gets faster: V8 compiles what is new to it for as long as it runs often enough, a second for a
 * program of a hundred lines and several for one that looks at every call from all sides.
 */
async function warmUp(
  entrant: Entrant,
  { tool, callers }: Cell,
  { load, pace }: { readonly load: LoadProcess; readonly pace: Pace },
): Promise<void> {
  const { child } = entrant.instance;
  const pids = child === undefined ? [] : programProcesses(child.pid, UPSTREAM_MARK);
  const run = async (ms: number): Promise<number> => {
    const before = usageOf(pids);
    const result = await load.run({ do: 'run', key: entrant.key, tool, callers, ms });
    if (result?.calls === 0) throw new Error(result.firstError ?? 'no answer');
    return cpuBetween(before, usageOf(pids)) / (result?.calls ?? 0);
  };
  if (!isClose(entrant)) {
    await run(pace.farMs);
    return;
  }
  let best = Number.POSITIVE_INFINITY;
  let since = 0;
  for (let spent = 0; spent < pace.warmMs && since < WARM_WINDOWS; spent += WARM_WINDOW_MS) {
    const cpuUs = await run(Math.min(WARM_WINDOW_MS, pace.warmMs));
    since = cpuUs < best * WARM_GAIN ? 0 : since + 1;
    best = Math.min(best, cpuUs);
  }
}

function isClose({ instance }: Entrant): boolean {
  return instance.program.kind === 'baseline' || instance.program.kind === 'sallyport';
}

async function takeSample(
  entrant: Entrant,
  cell: Cell,
  { load, pace }: { readonly load: LoadProcess; readonly pace: Pace },
): Promise<Sample | undefined> {
  const { child } = entrant.instance;
  const ms = isClose(entrant) ? pace.closeMs : pace.farMs;
  const pids = child === undefined ? [] : programProcesses(child.pid, UPSTREAM_MARK);
  try {
    // After its rivals' turns its connections may be closed and its caches cold: that is not what is measured.
    await load.run({ do: 'run', key: entrant.key, tool: cell.tool, callers: cell.callers, ms: WAKE_MS });
    resetPeaks(pids);
    const before = usageOf(pids);
    const result = await load.run({ do: 'run', key: entrant.key, tool: cell.tool, callers: cell.callers, ms });
    const after = usageOf(pids);
    if (result === undefined) return undefined;
    entrant.errors += result.errors;
    if (result.errors > 0) entrant.problem = result.firstError;
    if (result.calls === 0) return undefined;
    return {
      callsPerSecond: result.calls / result.seconds,
      p50: result.p50,
      p95: result.p95,
      p99: result.p99,
      cpuUs: child === undefined ? Number.NaN : cpuBetween(before, after) / result.calls,
      peakMb: child === undefined ? Number.NaN : after.peakBytes / 1e6,
      loadBusy: result.loadBusy,
    };
  } catch (error) {
    entrant.problem = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}
