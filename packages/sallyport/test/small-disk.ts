import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { atTheEnd } from './at-the-end.ts';

/** A disk of its own at `directory`. Needs root and fails without: no test may pass without having tried. */
export function mountSmallDisk(directory: string, mebibytes = 16): void {
  mkdirSync(directory, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory]);
  atTheEnd(() => execFileSync('umount', ['-l', directory]));
}

/** Takes all room that is left on the disk of `directory`; returns what gives it back. */
export function fillDisk(directory: string): () => void {
  const filler = join(directory, 'filler');
  const file = openSync(filler, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
  return () => unlinkSync(filler);
}
