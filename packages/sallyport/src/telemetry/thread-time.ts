import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';
const NANOSECONDS_PER_MS = 1e6;

/**
 * Starts one thread, and returns a clock of the processor time that it used, in milliseconds. Only Linux says it of a single
 * thread (proc(5), schedstat); elsewhere it is the time of the whole process, which is more.
 */
export function timeThread(start: () => void): () => number {
  const before = new Set(readTasks());
  start();
  const started = readTasks().filter((task) => !before.has(task));
  const [task] = started;
  return task === undefined || started.length > 1 || !countsThreads()
    ? readProcessMs
    : () => readTaskMs(`${TASKS}/${task}`);
}

function readTasks(): readonly string[] {
  try {
    return readdirSync(TASKS);
  } catch {
    return [];
  }
}

/** A kernel that does not count says 0 of every thread. */
function countsThreads(): boolean {
  return readTaskMs('/proc/self') > 0;
}

/** 0 for a thread that has ended. */
function readTaskMs(task: string): number {
  try {
    return Number.parseInt(readFileSync(`${task}/schedstat`, 'latin1'), 10) / NANOSECONDS_PER_MS;
  } catch {
    return 0;
  }
}

function readProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
