import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

export interface PortOwner {
  readonly pid: number;
  readonly command: string;
  /** The numeric user; compare with `process.getuid()`. */
  readonly uid: number;
}

/** Of sockets that listen: /proc/net/tcp, proc(5). */
const LISTENING = '0A';
const MAX_PROCESSES = 20_000;

/** The process that listens on a TCP port, as far as this user may see it. `undefined`: not found, or not Linux. */
export function findPortOwner(port: number): PortOwner | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listInodes(file, port)));
  if (inodes.size === 0) return undefined;
  for (const entry of list('/proc').slice(0, MAX_PROCESSES)) {
    if (!/^\d+$/.test(entry)) continue;
    const holds = list(`/proc/${entry}/fd`).some((fd) => inodes.has(readLink(`/proc/${entry}/fd/${fd}`)));
    if (holds) return describe(Number(entry));
  }
  return undefined;
}

function listInodes(file: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return read(file)
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === LISTENING && local.endsWith(`:${wanted}`) ? [`socket:[${inode ?? ''}]`] : [];
    });
}

function describe(pid: number): PortOwner | undefined {
  const command = read(`/proc/${pid}/comm`).trim();
  const stat = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { pid, command, uid: stat.uid };
}

// A process may end while it is looked at, and those of others may not be looked into.

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
