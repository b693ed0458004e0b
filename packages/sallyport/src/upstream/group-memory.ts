import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const KIB = 1024;
const PS_DEADLINE_MS = 4000;
const READS_AT_ONCE = 16;

/**
 * Resident memory of process groups in bytes; a group that is gone is missing, and so are all where it cannot be
 * measured (Windows). Pages that members share are counted for each of them.
 */
export async function readGroupMemory(groups: ReadonlySet<number>): Promise<Map<number, number>> {
  if (groups.size === 0 || process.platform === 'win32') return new Map();
  return process.platform === 'linux' ? readProc(groups) : sumGroups(await readPs(), groups);
}

async function readProc(groups: ReadonlySet<number>): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows: GroupMember[] = [];
  for (let i = 0; i < pids.length; i += READS_AT_ONCE) {
    const batch = await Promise.all(pids.slice(i, i + READS_AT_ONCE).map((pid) => readMember(pid, groups)));
    for (const row of batch) if (row !== undefined) rows.push(row);
  }
  return sumGroups(rows, groups);
}

interface GroupMember {
  readonly group: number;
  readonly bytes: number;
}

async function readMember(pid: string, groups: ReadonlySet<number>): Promise<GroupMember | undefined> {
  try {
    const group = parseStatGroup(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (group === undefined || !groups.has(group)) return undefined;
    return { group, bytes: parseStatusMemory(await readFile(`/proc/${pid}/status`, 'latin1')) };
  } catch {
    // It ended between the listing and the reading.
    return undefined;
  }
}

/** The process group in `/proc/<pid>/stat` (proc(5)); the name in parentheses may hold spaces and parentheses itself. */
export function parseStatGroup(stat: string): number | undefined {
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
  return Number.isInteger(group) ? group : undefined;
}

/** `VmRSS` of `/proc/<pid>/status` in bytes: unlike `stat` it does not depend on the page size. Zombies have none. */
export function parseStatusMemory(status: string): number {
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * KIB;
}

/** Lines of `ps -A -o pgid=,rss=`. */
export function parsePs(text: string): GroupMember[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s*$/.exec(line);
    return found === null ? [] : [{ group: Number(found[1]), bytes: Number(found[2]) * KIB }];
  });
}

async function readPs(): Promise<GroupMember[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,rss='], { timeout: PS_DEADLINE_MS });
  return parsePs(stdout);
}

function sumGroups(members: readonly GroupMember[], groups: ReadonlySet<number>): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { group, bytes } of members) {
    if (groups.has(group)) sums.set(group, (sums.get(group) ?? 0) + bytes);
  }
  return sums;
}
