import { readdirSync, readFileSync } from 'node:fs';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** `Z`: a zombie. */
  readonly state: string;
}

/** All processes of the machine, read from /proc. */
function readProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [{ pid: Number(name), parent: Number(parent), state }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

/** The pids of everything a process started, and that those started. */
export function descendantsOf(pid: number): number[] {
  const all = readProcesses();
  const found = [pid];
  for (const ancestor of found) found.push(...all.filter((one) => one.parent === ancestor).map((one) => one.pid));
  return found.slice(1);
}

/** Children of a process that ended and were never waited for. */
export function zombiesOf(pid: number): number[] {
  return readProcesses()
    .filter((one) => one.parent === pid && one.state === 'Z')
    .map((one) => one.pid);
}

/** Processes whose command line mentions `text`: what is left of a test that marks its children. */
export function processesNaming(text: string): number[] {
  return readProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) && pid !== process.pid;
      } catch {
        return false;
      }
    });
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Resident memory now and at its highest, in MiB. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const read = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** Makes the highest resident memory start anew from what it is now. */
export async function resetPeak(pid: number): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}
