import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '../../core/errors.ts';

/** Programs that write at the same time below one state directory: `sallyport up` and each `sallyport stdio`. */
const MAX_CHAINS = 256;

export interface Claim {
  /** Also the name of its folder: `0`, `1`, … */
  readonly chain: string;
  readonly folder: string;
  release(): void;
}

/**
 * The first chain below `directory` that no living program writes: two writers in one chain would fork it.
 * @throws FaultError `config` when all are taken.
 */
export function claimChain(directory: string): Claim {
  for (let i = 0; i < MAX_CHAINS; i++) {
    const folder = join(directory, String(i));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = join(folder, 'lock');
    if (take(lock)) return { chain: String(i), folder, release: () => rmSync(lock, { force: true }) };
  }
  throw new FaultError('config', `More than ${MAX_CHAINS} programs write the audit in ${directory}. End some of them.`);
}

/** Made beside and linked into place: nobody ever sees half a lock. */
function take(lock: string): boolean {
  const mine = `${lock}.${randomUUID()}`;
  writeFileSync(mine, whoAmI(process.pid), { mode: 0o600 });
  try {
    if (link(mine, lock)) return true;
    const holder = read(lock);
    if (holder !== undefined && isAlive(holder)) return false;
    const old = `${mine}.old`;
    try {
      renameSync(lock, old);
    } catch {
      return false;
    }
    // Somebody else may have taken it between the two looks: then it is theirs.
    const moved = read(old);
    rmSync(old, { force: true });
    if (moved !== holder) {
      if (moved !== undefined) writeFileSync(lock, moved, { mode: 0o600 });
      return false;
    }
    return link(mine, lock);
  } finally {
    rmSync(mine, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Process id and, where the system tells, when it started: ids are used again, e.g. after every start of a container. */
function whoAmI(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // Field 22, counted behind the name, which may hold spaces and brackets.
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${pid} ${started} ${read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}`;
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(' ', 1)[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  return whoAmI(pid) === holder;
}
