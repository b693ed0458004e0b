import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newTestFolder } from './running-sallyport.ts';

const SOURCE = fileURLToPath(new URL('fixtures/synced-disk.c', import.meta.url));
let library: string | undefined;

/** A state directory on a disk that can lose its power: what was never synced is gone then. */
export interface SyncedDisk {
  readonly stateDir: string;
  /** For every program that writes there. */
  readonly env: Readonly<Record<string, string>>;
  /** The files that were synced so far, below the state directory; each as often as it was. */
  syncs(): string[];
  /** Syncs of segments of the audit fail until what is returned is called. */
  breakSyncs(): () => void;
  /** A disk that holds what a power cut at this moment leaves. */
  cutPower(): SyncedDisk;
}

/** @param from what the disk holds at first @param slowMs how much longer each sync takes */
export function createSyncedDisk({ from, slowMs = 0 }: { from?: string; slowMs?: number } = {}): SyncedDisk {
  library ??= build();
  const stateDir = join(newTestFolder(), 'state');
  const tree = `${stateDir}.synced/tree`;
  mkdirSync(`${stateDir}.synced/inodes`, { recursive: true });
  // What is there at the beginning is on disk.
  for (const folder of [stateDir, tree]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (from !== undefined) cpSync(from, folder, { recursive: true });
  }
  const slow = slowMs === 0 ? undefined : { DISK_SLOW: `${slowMs}` };
  return {
    stateDir,
    env: { SALLYPORT_STATE: stateDir, DISK: stateDir, LD_PRELOAD: library, UV_USE_IO_URING: '0', ...slow },
    syncs: () => readFileSync(`${stateDir}.synced/syncs`, 'utf8').trimEnd().split('\n'),
    breakSyncs() {
      const broken = `${stateDir}.synced/broken`;
      writeFileSync(broken, '');
      return () => rmSync(broken);
    },
    cutPower: () => createSyncedDisk({ from: tree, slowMs }),
  };
}

/** Compiled where it is used: there is one for each system. A Debian without a compiler gets one. */
function build(): string {
  if (spawnSync('cc', ['--version']).error !== undefined)
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'gcc', 'libc6-dev'], { stdio: 'ignore' });
  const made = join(newTestFolder(), 'synced-disk.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', made, SOURCE, '-ldl']);
  return made;
}
