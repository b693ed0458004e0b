import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { descendants, isAlive } from './process-tree.ts';

/** A process of the bench. `stdoutLine` is its first line on stdout. */
export interface Child {
  readonly pid: number;
  readonly startedAt: number;
  readonly stdoutLine: Promise<string>;
  /** The last of what it wrote to stderr, for a report of what went wrong. */
  lastWords(): string;
  /** Undefined while it runs, then how it ended. */
  ended(): string | undefined;
  /** Ends it and everything it started: SIGTERM, then SIGKILL after `graceMs`. Idempotent. */
  stop(graceMs?: number): Promise<void>;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Left out: this one's. Programs that write where they stand get a folder of their own. */
  readonly cwd?: string;
  /** The first line on stdout must come within this time. */
  readonly readyMs?: number;
}

const running = new Set<Child>();

/** Starts a Node process in its own group. */
export function startNode({ args, env = {}, cwd, readyMs = 20_000 }: StartOptions): Child {
  const startedAt = performance.now();
  const process_ = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
  let words = '';
  let end: string | undefined;
  process_.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => {
    process_.on('error', (error) => {
      end ??= error.message;
      resolve();
    });
    process_.on('exit', (code, signal) => {
      end ??= `ended with ${signal ?? code}`;
      resolve();
    });
  });
  const stdoutLine = firstLine(process_, readyMs, () => end ?? '');
  stdoutLine.catch(() => {});
  let stopping: Promise<void> | undefined;
  const child: Child = {
    pid: process_.pid ?? -1,
    startedAt,
    stdoutLine,
    lastWords: () => words.trim(),
    ended: () => end,
    stop: (graceMs = 3_000) => {
      stopping ??= stopTree(process_, exited, graceMs).finally(() => running.delete(child));
      return stopping;
    },
  };
  running.add(child);
  return child;
}

/** Ends every process that is still running. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop(1_000)));
}

/** A port nobody listens on, for programs that cannot choose one themselves. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function firstLine(child: ChildProcess, readyMs: number, end: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${readyMs} ms`)), readyMs);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      // Once the line is there the rest is read and dropped: a full pipe would stop the process.
      if (text.includes('\n')) return;
      text += piece;
      const newline = text.indexOf('\n');
      if (newline < 0) return;
      clearTimeout(timer);
      resolve(text.slice(0, newline));
    });
    child.on('close', () => {
      clearTimeout(timer);
      reject(new Error(end()));
    });
  });
}

async function stopTree(child: ChildProcess, exited: Promise<void>, graceMs: number): Promise<void> {
  if (child.pid === undefined) return;
  // Taken before the end: orphans lose their parent, and some programs put children in groups of their own.
  const below = descendants(child.pid);
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
  for (const process_ of below) {
    if (isAlive(process_)) process.kill(process_.pid, 'SIGKILL');
  }
}
