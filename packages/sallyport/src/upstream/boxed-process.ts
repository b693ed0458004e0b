import type { ChildProcess, StdioOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** A process that bubblewrap starts and then waits for, seen as if it were the only one. */

/** A process's own streams. */
export interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * 2: what bubblewrap itself says; 3: the number of the process in it; 4 to 6: streams of that process. Bubblewrap closes
 * all above 2 on its own side, so that a child that closes its stdout is heard to do so.
 */
export const BOX_STDIO: StdioOptions = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'];

/** Bubblewrap waits on descriptor 7 until its user namespace is ready: {@link readBoxedPid} makes it ready. */
export const BLOCK = ['--userns-block-fd', '7'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Bubblewrap sets PWD, which the child's environment has not. */
const TAKE_STREAMS = 'unset PWD; exec "$0" "$@" <&4 >&5 2>&6 4<&- 5>&- 6>&- 7<&-';

/** What bubblewrap is to run. */
export function toBoxed(command: string, args: readonly string[]): readonly string[] {
  return ['--info-fd', '3', '--', '/bin/sh', '-c', TAKE_STREAMS, command, ...args];
}

export function toBoxedPipes(started: ChildProcess): Pipes {
  // BOX_STDIO asks for pipes; Node's types know of five at most.
  const { 4: stdin, 5: stdout, 6: stderr } = started.stdio as unknown as { 4: Socket; 5: Socket; 6: Socket };
  // Node reads from it as well: without this a child that closes its stdin would swallow what is written, without an error.
  stdin.allowHalfOpen = true;
  // As Node does for the first stream.
  started.once('exit', () => stdin.destroy());
  return { stdin, stdout, stderr };
}

/** It takes some milliseconds. */
const START_MS = 10_000;
const MAX_STDERR = 500;

/**
 * Bubblewrap says the number of the process before it lets it run. `found` is called in the same turn: whoever listens
 * then hears all the process says, and its end. `failed` gets what bubblewrap says.
 */
export function readBoxedPid(
  started: ChildProcess,
  { found, failed }: { found(pid: number): void; failed(words: string): void },
): void {
  // BOX_STDIO asks for pipes.
  const { 3: info, 7: block } = started.stdio as unknown as { 3: Socket; 7: Socket };
  let told = '';
  let words = '';
  started.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(0, MAX_STDERR);
  });
  const fail = (): void => {
    clearTimeout(late);
    failed(words.trim());
  };
  const late = setTimeout(() => started.kill('SIGKILL'), START_MS);
  const look = (chunk: Buffer): void => {
    told += chunk.toString('latin1');
    const pid = Number(/"child-pid": (\d+)[^\d]/.exec(told)?.[1] ?? 0);
    if (pid === 0) return;
    clearTimeout(late);
    info.off('data', look).resume();
    try {
      if (isRoot()) mapAllUsers(pid);
    } catch (error) {
      words = error instanceof Error ? error.message : '';
      started.kill('SIGKILL');
      return;
    }
    block.end('.');
    started.off('close', fail);
    found(pid);
  };
  info.on('data', look);
  for (const stream of started.stdio) stream?.on('error', () => {});
  started.once('close', fail);
}

/**
 * Every user and group is itself in the namespace of a process, so that root there may read and write the files of all
 * users. Bubblewrap maps one user alone, which is enough for all but root. user_namespaces(7).
 */
function mapAllUsers(pid: number): void {
  for (const map of ['uid_map', 'gid_map']) {
    const own = readFileSync(`/proc/self/${map}`, 'utf8').trim().split('\n');
    const lines = own
      .map((line) => line.trim().split(/\s+/))
      .map(([inside, , count]) => `${inside} ${inside} ${count}\n`);
    writeFileSync(`/proc/${pid}/${map}`, lines.join(''));
  }
}

/** Bubblewrap ends as shells do: with 128 and the number of the signal that ended the process in it. */
export function toBoxedExit(code: number | null, signal: NodeJS.Signals | null) {
  if (code === null || code <= 128) return { code, signal };
  const [name] = Object.entries(constants.signals).find(([, number]) => number === code - 128) ?? [];
  return name === undefined ? { code, signal } : { code: null, signal: name as NodeJS.Signals }; // a key of that table
}
