import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { startNode } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import { type Instance, labelOf, type Program, startInstance, type Via } from '../programs/program.ts';
import { HTTP_UPSTREAM, PROGRAMS } from '../programs/programs.ts';
import { computeFigures, type Results } from './figures.ts';
import { type FootprintOptions, measureFootprints } from './footprint.ts';
import { measureCell, type Pace } from './measure-cell.ts';
import { type OpenCallers, openCallers } from './open-callers.ts';
import { printTable } from './print-table.ts';
import { type Cell, isSameRow, joinRows, medianOf, type Row, ratioOf } from './rows.ts';

export interface GatewayOptions {
  readonly json: boolean;
  readonly quick: boolean;
  /** Names of programs to measure beside Sallyport; `undefined`: all, or with `quick` the two that matter most. */
  readonly against: readonly string[] | undefined;
  readonly rounds: number | undefined;
}

interface PlannedCell extends Cell {
  readonly pace: Pace;
  /** Left out when time is up. */
  readonly isSpare: boolean;
}

interface Plan {
  /** A cell that stands here twice is measured twice, and its rounds count together. */
  readonly cells: readonly PlannedCell[];
  readonly sessions: number;
  readonly starts: number;
  /** For all cells. Those behind schedule get fewer rounds; past it the cells without a figure are left out. */
  readonly budgetMs: number;
}

/** The cells the figures are made of. */
const KEY_CELLS: readonly Cell[] = [
  { tool: 'echo', era: 'modern', callers: 16 },
  { tool: 'echo', era: 'legacy', callers: 16 },
  { tool: 'echo', era: 'modern', callers: 1 },
  { tool: 'echo', era: 'legacy', callers: 1 },
  { tool: 'big', era: 'modern', callers: 16 },
  { tool: 'big', era: 'legacy', callers: 16 },
];
const OTHER_CELLS: readonly Cell[] = [
  { tool: 'echo', era: 'modern', callers: 64 },
  { tool: 'echo', era: 'legacy', callers: 64 },
  { tool: 'big', era: 'modern', callers: 1 },
  { tool: 'big', era: 'legacy', callers: 1 },
  { tool: 'big', era: 'modern', callers: 64 },
  { tool: 'big', era: 'legacy', callers: 64 },
];

/** Its callers were quiet meanwhile, and its code has been compiled. */
const WARM_AGAIN_MS = 1_000;

/** What `--quick` measures beside Sallyport: one relay and one peer, over the transport each is best at. */
const QUICK = ['direct http', 'raw http', 'sallyport http', 'sallyport stdio', 'sdk-relay http', 'mcp-proxy stdio'];

/** Measures, and returns what belongs on stdout. Processes are left to `stopAll`. */
export async function runGateway(options: GatewayOptions): Promise<string> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const machine = describeMachine(new Date());
  const plan = createPlan(options);
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  const load = startLoadProcess();
  try {
    const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
    const upstreamUrl = `http://127.0.0.1:${port}/mcp`;
    const chosen = choosePrograms(options);
    const { instances, missing } = await startAll(chosen, { upstreamUrl, directory, say });
    const callers = Math.max(...plan.cells.map((cell) => cell.callers));
    say(`opening ${callers} callers of each, warming up`);
    const opened = await openCallers(instances, { load, callers, say });
    const assertIntact = (): void => {
      // Whoever ends processes by name ends these too, and what is measured then means nothing.
      const own = [
        upstream,
        ...instances.flatMap(({ program, child }) => (program.kind === 'baseline' && child) || []),
      ];
      const gone = own.find((child) => child.ended() !== undefined);
      if (gone !== undefined)
        throw new Error(`a process of the bench itself was stopped (${gone.ended()}): no figures`);
    };
    const rows = await measureCells(plan, opened, { load, say, assertIntact });
    assertIntact();
    for (const instance of instances) await instance.child?.stop();

    const { footprints, ten } = await measureFootprints(
      chosen.filter(({ program, via }) => program.name !== 'direct' && (via === 'http' || program.vias.length === 1)),
      { load, upstreamUrl, directory, say, sessions: plan.sessions, starts: plan.starts },
    );
    if (upstream.ended() !== undefined) throw new Error('the upstream of the bench itself was stopped: no figures');
    const results: Results = { rows: [...rows, ...missing], footprints, ten };
    const figures = computeFigures(results);
    warnOfBusyLoad(rows, say);
    if (!options.json) return printTable(machine, results, figures);
    return `${JSON.stringify({ machine, figures, rows: flatten(results) })}\n`;
  } finally {
    load.close();
    await upstream.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function createPlan({ quick, rounds }: GatewayOptions): Plan {
  // Many short rounds rather than few long ones: somebody else's burst of work then spoils one ratio, not the median. The
  // key cells are measured first and again at the end, since what slows a machine down may stay for a minute or two.
  const windows = quick ? { closeMs: 300, farMs: 150 } : { closeMs: 500, farMs: 300 };
  const all = rounds ?? 10;
  const first: Pace = { rounds: Math.ceil(all / 2), warmMs: 10_000, ...windows };
  const again: Pace = { ...first, rounds: Math.floor(all / 2), warmMs: WARM_AGAIN_MS };
  const other: Pace = { rounds: Math.min(rounds ?? 3, 3), warmMs: 200, closeMs: 500, farMs: 300 };
  const at = (list: readonly Cell[], pace: Pace, isSpare = false) => list.map((cell) => ({ ...cell, pace, isSpare }));
  const cells = [
    ...at(KEY_CELLS, first),
    ...(quick ? [] : at(OTHER_CELLS, other, true)),
    ...(again.rounds > 0 ? at(KEY_CELLS, again) : []),
  ];
  return quick
    ? { cells, sessions: 400, starts: 2, budgetMs: 300_000 }
    : { cells, sessions: 800, starts: 4, budgetMs: 600_000 };
}

function choosePrograms({ quick, against }: GatewayOptions): { program: Program; via: Via }[] {
  const known = new Set(PROGRAMS.map((program) => program.name));
  for (const name of against ?? []) {
    if (name !== 'none' && name !== 'all' && !known.has(name)) {
      throw new Error(`no program is called ${name}; there are: all, none, ${[...known].join(', ')}`);
    }
  }
  return PROGRAMS.flatMap((program) => program.vias.map((via) => ({ program, via }))).filter(({ program, via }) => {
    if (program.kind === 'baseline' || program.kind === 'sallyport') return true;
    if (against !== undefined) return against.includes('all') || against.includes(program.name);
    return !quick || QUICK.includes(labelOf({ program, via }));
  });
}

async function startAll(
  chosen: readonly { program: Program; via: Via }[],
  { upstreamUrl, directory, say }: Pick<FootprintOptions, 'upstreamUrl' | 'directory' | 'say'>,
): Promise<{ instances: Instance[]; missing: Row[] }> {
  const instances: Instance[] = [];
  const missing: Row[] = [];
  for (const { program, via } of chosen) {
    const label = labelOf({ program, via });
    const folder = join(directory, label.replace(' ', '-'));
    try {
      instances.push(await startInstance(program, { via, upstreamUrl, directory: folder, nodeFlags: [] }));
      say(`started ${label}`);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      say(`${label} does not start or answer: ${problem}`);
      const none = { program: program.name, kind: program.kind, via, samples: [], errors: 0, problem };
      missing.push(
        ...KEY_CELLS.filter((cell) => program.eras.includes(cell.era)).map((cell) => ({ ...cell, ...none })),
      );
    }
  }
  return { instances, missing };
}

async function measureCells(
  plan: Plan,
  opened: readonly OpenCallers[],
  {
    load,
    say,
    assertIntact,
  }: { readonly load: LoadProcess; readonly say: (text: string) => void; readonly assertIntact: () => void },
): Promise<Row[]> {
  const began = performance.now();
  const rows: Row[] = [];
  for (const [index, { pace, isSpare, ...cell }] of plan.cells.entries()) {
    const name = `${cell.tool}, ${cell.era}, ${cell.callers} callers`;
    const spent = performance.now() - began;
    if (spent > plan.budgetMs && isSpare) {
      say(`left out for want of time: ${name}`);
      continue;
    }
    say(`${Math.round(spent / 1000)} s: ${name}`);
    assertIntact();
    const untilMs = performance.now() + (plan.budgetMs - spent) / (plan.cells.length - index);
    for (const row of await measureCell(cell, opened, { load, pace, untilMs })) {
      const at = rows.findIndex((one) => isSameRow(one, row));
      const earlier = rows[at];
      if (earlier === undefined) rows.push(row);
      else rows[at] = joinRows(earlier, row);
    }
  }
  return rows;
}

/** A generator that works nearly all the time measures itself. */
function warnOfBusyLoad(rows: readonly Row[], say: (text: string) => void): void {
  for (const row of rows) {
    const busy = medianOf(row, 'loadBusy');
    if (row.program !== 'direct' && busy > 0.85) {
      say(
        `the load generator was ${Math.round(busy * 100)} % busy: ${row.program} ${row.via} ${row.tool} ${row.callers}`,
      );
    }
  }
}

/** Rows of all tables as plain objects: the medians, their ratios to raw, and the samples behind them. */
function flatten({ rows, footprints, ten }: Results): object[] {
  const measures = ['callsPerSecond', 'p50', 'p95', 'p99', 'cpuUs', 'peakMb', 'loadBusy'] as const;
  const each = (value: (measure: (typeof measures)[number]) => number): object =>
    Object.fromEntries(measures.map((measure) => [measure, finite(value(measure))]));
  return [
    ...rows.map((row) => {
      const raw = rows.find(
        ({ program, tool, era, callers }) =>
          program === 'raw' && tool === row.tool && era === row.era && callers === row.callers,
      );
      const vsRaw = raw === undefined ? undefined : each((measure) => ratioOf(row, raw, measure));
      return { table: 'calls', ...row, ...each((measure) => medianOf(row, measure)), vsRaw };
    }),
    ...footprints.map((one) => ({ table: 'footprint', ...one })),
    ...(ten === undefined ? [] : [{ table: 'ten-upstreams', program: 'sallyport', ...ten }]),
  ];
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
