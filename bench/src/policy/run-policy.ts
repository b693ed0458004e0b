import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mode, type ModeRow, measureModes } from '../audit/measure-modes.ts';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { startNode } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import { type Program, startInstance } from '../programs/program.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport, SALLYPORT, UNREAD, upstreamEntry } from '../programs/sallyport.ts';
import { type ListTimes, measureLists } from './measure-lists.ts';

export interface PolicyBenchOptions {
  readonly json: boolean;
  readonly rounds: number;
}

const CALLERS = 16;
const WARM_MS = 2_000;
const POLICIES = 50;

/** What decides nothing about the calls that are made, and must be looked at all the same. */
const OTHERS = Array.from(
  { length: POLICIES - 1 },
  (_, i) => `@id("p${i}") forbid(principal in Group::"group${i}", action, resource) when { !resource.readOnly };\n`,
);
const KEPT = ['@id("all") permit(principal, action, resource);\n', ...OTHERS].join('');
/** One of them reads an argument, so that each call is decided anew. */
const EACH = [
  KEPT.replace(OTHERS[0] ?? '', ''),
  '@id("reads") forbid(principal, action == Action::"call", resource) when { context.arguments has amount && context.arguments.amount > 100 };\n',
].join('');
/** One of them tells tools apart by their names, so that each tool is decided by itself. */
const NAMED = [
  KEPT.replace(OTHERS[0] ?? '', ''),
  '@id("named") forbid(principal in Group::"guests", action, resource) when { resource.name like "admin_*" };\n',
].join('');
const TEXTS = new Map([
  ['none', undefined],
  ['kept', KEPT],
  ['each', EACH],
]);

/** What policies cost: per call with kept decisions and with decisions made anew, for lists, and to check them. */
export async function runPolicy({ json, rounds }: PolicyBenchOptions): Promise<string> {
  const machine = describeMachine(new Date());
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  const load = startLoadProcess();
  try {
    const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
    const modes = await startModes(directory, `http://127.0.0.1:${port}/mcp`, load);
    const rows = await measureModes(modes, { load, callers: CALLERS, rounds });
    for (const { instance } of modes) await instance.child?.stop(20_000);
    const lists = {
      none: await measureLists(join(directory, 'lists-none'), undefined),
      kept: await measureLists(join(directory, 'lists-kept'), KEPT),
      named: await measureLists(join(directory, 'lists-named'), NAMED),
    };
    const figures = toFigures(rows, lists, measureCheck(directory));
    if (json) return `${JSON.stringify({ machine, figures, rows })}\n`;
    const lines = figures.map(({ name, value, unit }) => `| ${name} | ${value} | ${unit} |`);
    return `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, commit ${machine.commit}, load before ${machine.loadBefore.toFixed(1)}\n\n| figure | value | unit |\n|---|---|---|\n${lines.join('\n')}\n`;
  } finally {
    load.close();
    await upstream.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startModes(directory: string, upstreamUrl: string, load: LoadProcess): Promise<Mode[]> {
  const modes: Mode[] = [];
  for (const program of [...TEXTS].map(([name, text]) => toProgram(name, text))) {
    const own = join(directory, program.name);
    const instance = await startInstance(program, { via: 'http', upstreamUrl, directory: own, nodeFlags: [] });
    await load.run({ do: 'open', key: program.name, target: instance.target, era: 'modern', callers: CALLERS });
    await load.run({ do: 'run', key: program.name, tool: 'echo', callers: CALLERS, ms: WARM_MS });
    modes.push({ name: program.name, instance });
  }
  return modes;
}

function toProgram(name: string, text: string | undefined): Program {
  return {
    name,
    kind: 'sallyport',
    vias: ['http'],
    eras: ['modern'],
    mostSessions: 0,
    launch(options) {
      mkdirSync(options.directory, { recursive: true });
      if (text !== undefined) writeFileSync(join(options.directory, 'team.cedar'), text);
      const policy = text === undefined ? {} : { policy: { files: ['team.cedar'] } };
      const sections = { audit: { mode: 'off' }, ...UNREAD, ...policy };
      return launchSallyport({ echo: upstreamEntry(options) }, options, { sections });
    },
  };
}

/** `sallyport policy check` as its user runs it, less what the program takes to start. Milliseconds. */
function measureCheck(directory: string): number {
  const file = join(directory, 'check.cedar');
  writeFileSync(file, KEPT);
  const env = { ...process.env, SALLYPORT_STATE: join(directory, 'check') };
  const median = (option: string): number => {
    const times = Array.from({ length: 5 }, () => {
      const startedAt = performance.now();
      execFileSync(process.execPath, [SALLYPORT, 'policy', 'check', file, option], {
        env,
        cwd: directory,
        stdio: 'ignore',
      });
      return performance.now() - startedAt;
    }).sort((a, b) => a - b);
    return times[2] ?? Number.NaN;
  };
  return median('--json') - median('--help');
}

type Lists = Readonly<Record<'none' | 'kept' | 'named', ListTimes>>;

function toFigures(rows: readonly ModeRow[], { none, kept, named }: Lists, checkMs: number) {
  const cpuOf = (mode: string): number => rows.find((row) => row.mode === mode)?.cpuUs ?? Number.NaN;
  const values: readonly (readonly [string, number, string])[] = [
    ['policy.kept.cpu_us', cpuOf('kept') - cpuOf('none'), 'us per call'],
    ['policy.each.cpu_us', cpuOf('each') - cpuOf('none'), 'us per call'],
    ['policy.list_500.none_ms', none.first, 'ms'],
    ['policy.list_500.first_ms', kept.first, 'ms'],
    ['policy.list_500.again_ms', kept.again, 'ms'],
    ['policy.list_500.named_ms', named.first, 'ms'],
    ['policy.check_50_ms', checkMs, 'ms'],
  ];
  return values.map(([name, value, unit]) => ({
    name,
    value: Math.round(value * 10) / 10,
    unit,
    goal: null,
    holds: true as const,
  }));
}
