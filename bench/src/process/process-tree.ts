import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** A process and when it started (clock ticks since boot): a pid alone may be somebody else's by now. */
export interface ProcessId {
  readonly pid: number;
  readonly startTicks: string;
}

export interface Usage {
  /** CPU time of the threads that live, microseconds. */
  readonly cpuUs: number;
  /** CPU time with that of threads that ended, in steps of 10 ms; microseconds. */
  readonly coarseCpuUs: number;
  readonly rssBytes: number;
  /** Highest RSS since the last `resetPeaks`. */
  readonly peakBytes: number;
}

/** Every process below `pid`. */
export function descendants(pid: number): ProcessId[] {
  const children = new Map<number, ProcessId[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat === undefined) continue;
    const siblings = children.get(stat.parent) ?? [];
    siblings.push({ pid: Number(name), startTicks: stat.startTicks });
    children.set(stat.parent, siblings);
  }
  const found: ProcessId[] = [];
  const queue = [pid];
  for (const next of queue) {
    for (const child of children.get(next) ?? []) {
      found.push(child);
      queue.push(child.pid);
    }
  }
  return found;
}

export function isAlive(process_: ProcessId): boolean {
  const stat = readStat(process_.pid);
  return stat !== undefined && stat.startTicks === process_.startTicks && stat.state !== 'Z';
}

/**
 * The program `pid` and the helpers it started, without those whose command line names `except` (the stdio upstream:
 * its work is not the middle's).
 */
export function programProcesses(pid: number, except: string): number[] {
  const helpers = descendants(pid).filter((child) => !commandLine(child.pid).includes(except));
  return [pid, ...helpers.map((child) => child.pid)];
}

/** Sums over `pids`; processes that are gone count as nothing. */
export function usageOf(pids: readonly number[]): Usage {
  let cpuUs = 0;
  let coarseCpuUs = 0;
  let rssBytes = 0;
  let peakBytes = 0;
  for (const pid of pids) {
    cpuUs += threadTimeOf(pid);
    coarseCpuUs += (readStat(pid)?.ticks ?? 0) * TICK_US;
    const status = read(`/proc/${pid}/status`) ?? '';
    rssBytes += kibIn(status, 'VmRSS') * 1024;
    peakBytes += kibIn(status, 'VmHWM') * 1024;
  }
  return { cpuUs, coarseCpuUs, rssBytes, peakBytes };
}

/** Lets `peakBytes` count from here. */
export function resetPeaks(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
    } catch {
      // Without the right to it, or after its end, the peak is the one since the start.
    }
  }
}

/**
 * CPU time between two readings, microseconds. `utime + stime` of /proc/<pid>/stat has steps of 10 ms, two per cent of
 * a short window; the threads' schedstat is the same clock in nanoseconds but forgets a thread that ends.
 */
export function cpuBetween(before: Usage, after: Usage): number {
  const fine = after.cpuUs - before.cpuUs;
  const coarse = after.coarseCpuUs - before.coarseCpuUs;
  return fine > 0 && coarse - fine <= 2 * TICK_US ? fine : coarse;
}

/** Linux counts in hundredths of a second whatever its own timer runs at (USER_HZ). */
const TICK_US = 10_000;

function threadTimeOf(pid: number): number {
  let nanoseconds = 0;
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return 0;
  }
  for (const thread of threads) {
    nanoseconds += Number((read(`/proc/${pid}/task/${thread}/schedstat`) ?? '0').split(' ')[0]);
  }
  return nanoseconds / 1000;
}

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly ticks: number;
  readonly startTicks: string;
}

function readStat(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the command in parentheses and may hold spaces; fields are counted from the third.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    ticks: Number(fields[11]) + Number(fields[12]),
    startTicks: fields[19] ?? '',
  };
}

function commandLine(pid: number): string {
  return read(`/proc/${pid}/cmdline`) ?? '';
}

function kibIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
