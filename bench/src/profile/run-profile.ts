import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLoadProcess } from '../load/load-process.ts';
import type { Era, Tool } from '../load/messages.ts';
import { startNode } from '../process/child.ts';
import { cpuBetween, programProcesses, usageOf } from '../process/process-tree.ts';
import { startInstance, type Via } from '../programs/program.ts';
import { HTTP_UPSTREAM, PROGRAMS, UPSTREAM_MARK } from '../programs/programs.ts';
import { type CpuProfile, type FunctionTime, summarizeProfile } from './cpu-profile.ts';

export interface ProfileOptions {
  readonly target: string;
  readonly seconds: number;
  readonly era: Era;
  readonly tool: Tool;
  readonly via: Via;
  readonly callers: number;
  readonly keep: string | undefined;
}

const WARM_MS = 2_000;
/** Microseconds between samples: fine enough that ten seconds name functions of half a per cent. */
const INTERVAL_US = 250;
const MOST_LINES = 25;

/** Runs the load with --cpu-prof on the middle process; returns its most expensive functions as a table. */
export async function runProfile(options: ProfileOptions): Promise<string> {
  const { target, seconds, era, tool, via, callers, keep } = options;
  const program = PROGRAMS.find((one) => one.name === target);
  if (program === undefined || target === 'direct') throw new Error(`no program to profile is called ${target}`);
  if (!program.vias.includes(via)) throw new Error(`${target} has no ${via} upstream here`);
  if (!program.eras.includes(era)) throw new Error(`${target} does not speak the ${era} era`);
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-profile-'));
  const profiles = join(directory, 'profiles');
  mkdirSync(profiles);
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  const load = startLoadProcess();
  try {
    const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
    const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-interval=${INTERVAL_US}`];
    const upstreamUrl = `http://127.0.0.1:${port}/mcp`;
    const instance = await startInstance(program, { via, upstreamUrl, directory, nodeFlags });
    const child = instance.child;
    if (child === undefined) throw new Error('nothing to profile');
    await load.run({ do: 'open', key: 'profile', target: instance.target, era, callers });
    await load.run({ do: 'run', key: 'profile', tool, callers, ms: WARM_MS });
    const pids = programProcesses(child.pid, UPSTREAM_MARK);
    const before = usageOf(pids);
    const fromUs = Number(process.hrtime.bigint() / 1000n);
    const result = await load.run(
      { do: 'run', key: 'profile', tool, callers, ms: seconds * 1000 },
      seconds * 1000 + 30_000,
    );
    const toUs = Number(process.hrtime.bigint() / 1000n);
    const cpuUs = cpuBetween(before, usageOf(pids));
    await load.run({ do: 'close', key: 'profile' });
    // The file is written when the process ends on its own, which takes a while with a long profile.
    await child.stop(20_000);
    const file = readdirSync(profiles).find((name) => name.split('.')[3] === String(child.pid) && name.includes('.0.'));
    if (file === undefined) throw new Error(`${target} left no profile: it must end by itself on SIGTERM`);
    if (keep !== undefined) copyFileSync(join(profiles, file), keep);
    const profile = JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile;
    const calls = result?.calls ?? 0;
    const { functions, busyUs } = summarizeProfile(profile, fromUs, toUs);
    const heading =
      `${target} ${via}, ${tool}, ${era}, ${callers} callers, ${seconds} s: ${calls} calls, ` +
      `${(cpuUs / calls).toFixed(1)} us CPU per call with all threads, ${(busyUs / calls).toFixed(1)} us in samples of the main thread ` +
      `(profiled, so slower than in the bench; samples count waiting for a core too), p50 ${result?.p50.toFixed(2)} ms, ${result?.errors} errors`;
    const own = functions.filter(({ place }) => /^(packages|bench)\//.test(place));
    return [
      heading,
      `\nself time, the ${MOST_LINES} highest\n`,
      printFunctions(
        [...functions].filter(({ name }) => name !== '(idle)').sort((a, b) => b.selfUs - a.selfUs),
        { calls, busyUs },
      ),
      '\nwith what they call: functions of this repository\n',
      printFunctions(
        own.sort((a, b) => b.totalUs - a.totalUs),
        { calls, busyUs },
      ),
      '\nself time by file\n',
      printFunctions(byFile(functions), { calls, busyUs }),
      '',
    ].join('\n');
  } finally {
    load.close();
    await upstream.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function byFile(functions: readonly FunctionTime[]): FunctionTime[] {
  const files = new Map<string, FunctionTime>();
  for (const { name, place, selfUs } of functions) {
    if (name === '(idle)') continue;
    const file = place === '' ? name : place.replace(/:\d+$/, '');
    const known = files.get(file);
    if (known === undefined) files.set(file, { name: '', place: file, selfUs, totalUs: 0 });
    else known.selfUs += selfUs;
  }
  return [...files.values()].sort((a, b) => b.selfUs - a.selfUs);
}

function printFunctions(
  functions: readonly FunctionTime[],
  { calls, busyUs }: { readonly calls: number; readonly busyUs: number },
): string {
  const share = (us: number): string => `${((100 * us) / busyUs).toFixed(1)} %`.padStart(7);
  const perCall = (us: number): string => (us / calls).toFixed(2).padStart(7);
  const lines = functions
    .slice(0, MOST_LINES)
    .map(
      ({ name, place, selfUs, totalUs }) =>
        `${perCall(selfUs)} ${share(selfUs)} ${totalUs === 0 ? ' '.repeat(15) : `${perCall(totalUs)} ${share(totalUs)}`}  ${name} ${place}`,
    );
  return ['   self us/call      total us/call', ...lines].join('\n');
}
