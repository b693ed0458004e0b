import { spawn } from 'node:child_process';
import { fail } from './fail.ts';

export interface ProgramOptions {
  /** Programs that may be run, by the name a caller writes, with the file that is run. */
  readonly allowed: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Milliseconds; the program and its children are killed then. */
  readonly timeoutMs: number;
  /** Bytes of each output; more is cut. */
  readonly maxBytes: number;
  /** Its whole environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramResult {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
  readonly isTimedOut: boolean;
}

/** Runs a program with its arguments as a list: no shell reads them. @throws ToolFailure for a program that is not allowed */
export async function runProgram(
  name: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { allowed, cwd, signal, timeoutMs, maxBytes, env = {} } = options;
  const file = allowed.get(name);
  if (file === undefined)
    return fail(`"${name}" is not among the programs of this server.`, `Use one of ${[...allowed.keys()].join(', ')}.`);
  if (args.some((arg) => arg.includes('\0'))) return fail('An argument contains a NUL character.', 'Remove it.');
  // Its own process group, so that its children end with it.
  const child = spawn(file, [...args], {
    cwd,
    env: { ...env },
    shell: false,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let isTimedOut = false;
  let isCut = false;
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    // A child of it that left the group still has its end of these, and would keep the call open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const collect = (stream: NodeJS.ReadableStream) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      const room = maxBytes - length;
      if (chunk.length > room) isCut = true;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      length += Math.min(chunk.length, Math.max(0, room));
    });
    return () => Buffer.concat(chunks).toString('utf8');
  };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  try {
    const [exitCode, killedBy] = await new Promise<[number | null, string | null]>((done, refuse) => {
      child.once('error', refuse);
      child.once('close', (code, by) => done([code, by]));
    });
    return {
      exitCode: exitCode ?? undefined,
      signal: killedBy ?? undefined,
      stdout: stdout(),
      stderr: stderr(),
      isCut,
      isTimedOut,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    // A child of it that outlived it.
    kill();
  }
}
