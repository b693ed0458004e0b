import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { startNode } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import { type Program, startInstance } from '../programs/program.ts';
import { HTTP_UPSTREAM, PROGRAMS } from '../programs/programs.ts';
import { launchSallyport, SALLYPORT, UNREAD, upstreamEntry } from '../programs/sallyport.ts';
import { type Mode, type ModeRow, measureModes } from './measure-modes.ts';

export interface AuditBenchOptions {
  readonly json: boolean;
  readonly rounds: number;
}

const CALLERS = [1, 16, 64];
const MODES = ['off', 'batched', 'strict'] as const;
const WARM_MS = 2_000;

/** What the record of calls costs: per call in each mode, per seal, and to verify. */
export async function runAudit({ json, rounds }: AuditBenchOptions): Promise<string> {
  const machine = describeMachine(new Date());
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  const load = startLoadProcess();
  try {
    const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
    const modes = await startModes(directory, `http://127.0.0.1:${port}/mcp`, load);
    const rows: ModeRow[] = [];
    for (const callers of CALLERS) {
      process.stderr.write(`${callers} callers\n`);
      rows.push(...(await measureModes(modes, { load, callers, rounds })));
    }
    for (const { instance } of modes) await instance.child?.stop(20_000);
    const verify = measureVerify(join(directory, 'batched', 'state'));
    const figures = toFigures(rows, verify);
    if (json) return `${JSON.stringify({ machine, figures, rows })}\n`;
    return `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}, commit ${machine.commit}, ${machine.date}, load before ${machine.loadBefore.toFixed(1)}\n\n${printRows(rows)}\n\n${printFigures(figures)}\n`;
  } finally {
    load.close();
    await upstream.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startModes(directory: string, upstreamUrl: string, load: LoadProcess): Promise<Mode[]> {
  const raw = PROGRAMS.find(({ name }) => name === 'raw');
  const programs = [...(raw === undefined ? [] : [raw]), ...MODES.map(toProgram)];
  const modes: Mode[] = [];
  for (const program of programs) {
    const own = join(directory, program.name);
    const instance = await startInstance(program, { via: 'http', upstreamUrl, directory: own, nodeFlags: [] });
    const callers = Math.max(...CALLERS);
    await load.run({ do: 'open', key: program.name, target: instance.target, era: 'modern', callers });
    await load.run({ do: 'run', key: program.name, tool: 'echo', callers: 16, ms: WARM_MS });
    modes.push({ name: program.name, instance });
  }
  return modes;
}

function toProgram(mode: string): Program {
  return {
    name: mode,
    kind: 'sallyport',
    vias: ['http'],
    eras: ['modern'],
    mostSessions: 0,
    launch: (options) =>
      launchSallyport({ echo: upstreamEntry(options) }, options, { sections: { audit: { mode }, ...UNREAD } }),
  };
}

interface Verified {
  readonly records: number;
  readonly seals: number;
  readonly msPer100k: number;
}

/** `sallyport audit verify` as its user runs it, less what the program takes to start. */
function measureVerify(stateDir: string): Verified {
  const env = { ...process.env, SALLYPORT_STATE: stateDir };
  const run = (...options: string[]): string =>
    execFileSync(process.execPath, [SALLYPORT, 'audit', 'verify', ...options], { env, encoding: 'utf8' });
  const median = (option: string): number => {
    const times = Array.from({ length: 5 }, () => {
      const startedAt = performance.now();
      run(option);
      return performance.now() - startedAt;
    }).sort((a, b) => a - b);
    return times[2] ?? Number.NaN;
  };
  const { chains } = JSON.parse(run('--json')) as {
    readonly chains: readonly { readonly records: number; readonly seals: number }[];
  };
  const { records = 0, seals = 0 } = chains[0] ?? {};
  return { records, seals, msPer100k: ((median('--json') - median('--help')) / records) * 100_000 };
}

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: null;
  readonly holds: true;
}

/** No goals here: those of the row with every door in the way are the `gateway` bench's. */
function toFigures(rows: readonly ModeRow[], verify: Verified): Figure[] {
  const of = (mode: string, callers: number) => rows.find((row) => row.mode === mode && row.callers === callers);
  const added = (mode: string, callers: number, key: 'cpuUs' | 'p50' | 'p99' | 'writesPerCall'): number =>
    (of(mode, callers)?.[key] ?? Number.NaN) - (of('off', callers)?.[key] ?? Number.NaN);
  const values: readonly (readonly [string, number, string])[] = [
    ['audit.batched.cpu_us', added('batched', 16, 'cpuUs'), 'us per call'],
    ['audit.strict.cpu_us', added('strict', 16, 'cpuUs'), 'us per call'],
    ['audit.strict.cpu_us_64', added('strict', 64, 'cpuUs'), 'us per call'],
    ['audit.strict.p50_ms', added('strict', 16, 'p50'), 'ms'],
    ['audit.strict.group_16', 2 / added('strict', 16, 'writesPerCall'), 'calls per sync'],
    ['audit.strict.group_64', 2 / added('strict', 64, 'writesPerCall'), 'calls per sync'],
    ['audit.seal_us', measureSeal(), 'us'],
    ['audit.verify_100k_ms', verify.msPer100k, 'ms'],
    ['audit.verified_records', verify.records, 'records'],
  ];
  return values.map(([name, value, unit]) => ({ name, value: round(value), unit, goal: null, holds: true }));
}

/** One Ed25519 signature over a line; one is written a second. */
function measureSeal(): number {
  const { privateKey } = generateKeyPairSync('ed25519');
  const line = Buffer.alloc(200, 'x');
  const count = 2_000;
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) sign(null, line, privateKey);
  return ((performance.now() - startedAt) * 1_000) / count;
}

function printRows(rows: readonly ModeRow[]): string {
  const lines = rows.map(
    (row) =>
      `| ${row.mode} | ${row.callers} | ${row.callsPerSecond.toFixed(0)} | ${row.cpuUs.toFixed(1)} | ${row.p50.toFixed(2)} | ${row.p99.toFixed(2)} | ${row.writesPerCall.toFixed(2)} |`,
  );
  return [
    '| audit | callers | calls/s | CPU us/call | p50 ms | p99 ms | writes/call |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function printFigures(figures: readonly Figure[]): string {
  return [
    '| figure | value |',
    '|---|---|',
    ...figures.map(({ name, value, unit }) => `| ${name} | ${value} ${unit} |`),
  ].join('\n');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
