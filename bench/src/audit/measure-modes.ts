import { readFileSync } from 'node:fs';
import type { LoadProcess } from '../load/load-process.ts';
import { cpuBetween, usageOf } from '../process/process-tree.ts';
import type { Instance } from '../programs/program.ts';

/** One way to keep the record, under one number of callers; medians over the rounds. */
export interface ModeRow {
  readonly mode: string;
  readonly callers: number;
  readonly callsPerSecond: number;
  readonly cpuUs: number;
  readonly p50: number;
  readonly p99: number;
  /** Calls of write(2) and its kin, per call. What a mode adds to `off`: for each batch of records one, and one that wakes the loop. */
  readonly writesPerCall: number;
}

export interface Mode {
  readonly name: string;
  readonly instance: Instance;
}

const WAKE_MS = 60;
const WINDOW_MS = 500;

/** All modes in turns: each round measures each once, beginning with another one. */
export async function measureModes(
  modes: readonly Mode[],
  { load, callers, rounds }: { readonly load: LoadProcess; readonly callers: number; readonly rounds: number },
): Promise<ModeRow[]> {
  const samples = modes.map((): Omit<ModeRow, 'mode' | 'callers'>[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < modes.length; turn += 1) {
      const at = (turn + round) % modes.length;
      const mode = modes[at];
      if (mode !== undefined) samples[at]?.push(await takeSample(mode, load, callers));
    }
  }
  return modes.map(({ name }, at) => {
    const median = (key: keyof Omit<ModeRow, 'mode' | 'callers'>): number => {
      const sorted = (samples[at] ?? []).map((sample) => sample[key]).sort((a, b) => a - b);
      return sorted[sorted.length >> 1] ?? Number.NaN;
    };
    return {
      mode: name,
      callers,
      callsPerSecond: median('callsPerSecond'),
      cpuUs: median('cpuUs'),
      p50: median('p50'),
      p99: median('p99'),
      writesPerCall: median('writesPerCall'),
    };
  });
}

async function takeSample({ name, instance }: Mode, load: LoadProcess, callers: number) {
  const pid = instance.child?.pid ?? 0;
  await load.run({ do: 'run', key: name, tool: 'echo', callers, ms: WAKE_MS });
  const before = { usage: usageOf([pid]), writes: writesOf(pid) };
  const result = await load.run({ do: 'run', key: name, tool: 'echo', callers, ms: WINDOW_MS });
  if (result === undefined || result.calls === 0 || result.errors > 0)
    throw new Error(`${name}: ${result?.firstError ?? 'no answer'}`);
  return {
    callsPerSecond: result.calls / result.seconds,
    cpuUs: cpuBetween(before.usage, usageOf([pid])) / result.calls,
    p50: result.p50,
    p99: result.p99,
    writesPerCall: (writesOf(pid) - before.writes) / result.calls,
  };
}

function writesOf(pid: number): number {
  return Number(/^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}
