import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../core/clock.ts';
import { BOX_STDIO, type Pipes, readBoxedPid, toBoxedExit, toBoxedPipes } from './boxed-process.ts';
import type { ChildExit } from './child-report.ts';
import type { Launch } from './isolation.ts';
import { LineRing } from './line-ring.ts';
import { type StdioSettings, toBoxFault, toSpawnFault } from './spawn-fault.ts';

/** How long a child is waited for: after its stdin is closed, after SIGTERM, after SIGKILL. Milliseconds. */
export interface Patience {
  readonly stdinMs: number;
  readonly termMs: number;
  readonly killMs: number;
}

// In all below the five seconds in which Sallyport promises to end everything.
export const PATIENCE: Patience = Object.freeze({ stdinMs: 2000, termMs: 2000, killMs: 500 });

/** Pipes that a process outside the group holds open are not waited for longer than this. */
const DRAIN_MS = 1000;
const TAIL = { lines: 10, lineLength: 500, total: 5000 };
const MAX_STDERR_LINE = 8192;
/** A chunk can hold more lines than anything keeps. */
const MAX_STDERR_LINES_AT_ONCE = 200;

export interface ChildOptions {
  readonly settings: StdioSettings;
  readonly launch: Launch;
  readonly clock: Clock;
  readonly patience: Patience;
  /** Makes a line of stderr fit to be shown. */
  readonly toPlain: (line: string) => string;
  readonly onStderr: (line: string) => void;
  /** Called once, as soon as the leader of the group is reaped and the rest of the group is killed. */
  readonly onExit: (child: Child, exit: ChildExit) => void;
}

/** One child in a process group of its own, which is ended as a whole. */
export class Child {
  readonly pid: number;
  readonly startedAt: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it has exited and what it wrote has been read. */
  readonly gone: Promise<ChildExit>;
  readonly #process: ChildProcess;
  readonly #stderr: Readable;
  readonly #options: ChildOptions;
  readonly #exited: Promise<unknown>;
  readonly #tail = new LineRing(TAIL);
  #exit: ChildExit | undefined;
  #reason: string | undefined;
  #planned = false;
  #closed: Promise<void> | undefined;

  /** @throws FaultError `unreachable` when it cannot be started. Resolves before anything of it is read or its end is noted. */
  static start(options: ChildOptions): Promise<Child> {
    return new Promise((resolve, reject) => {
      const { settings, launch } = options;
      try {
        const started = spawn(launch.command, launch.args, {
          cwd: settings.transport.cwd,
          env: launch.environment,
          stdio: launch.isBoxed ? BOX_STDIO : 'pipe',
          ...launch.user,
          // A new session: signals for Sallyport's terminal do not reach it, and its group can be killed as a whole.
          detached: process.platform !== 'win32',
          windowsHide: true,
        });
        const { pid } = started;
        if (pid === undefined) started.once('error', (error) => reject(toSpawnFault(settings, error)));
        else if (!launch.isBoxed) resolve(new Child(started, pid, options));
        else
          readBoxedPid(started, {
            found: (boxed) => resolve(new Child(started, boxed, options)),
            failed: (words) => reject(toBoxFault(settings, words)),
          });
      } catch (error) {
        reject(toSpawnFault(options.settings, error));
      }
    });
  }

  private constructor(started: ChildProcess, pid: number, options: ChildOptions) {
    const { isBoxed } = options.launch;
    const { stdin, stdout, stderr } = isBoxed ? toBoxedPipes(started) : (started as Pipes); // it was started with pipes
    this.#process = started;
    this.#options = options;
    this.pid = pid;
    this.startedAt = options.clock.now();
    this.stdin = stdin;
    this.stdout = stdout;
    this.#stderr = stderr;
    this.#exited = new Promise((resolve) => started.once('exit', resolve));
    this.gone = new Promise((resolve) =>
      started.once('close', () => resolve(this.#exit ?? this.#noteExit(null, null))),
    );
    started.once('exit', (code, signal) => {
      const exit = isBoxed ? toBoxedExit(code, signal) : { code, signal };
      this.#afterExit(exit.code, exit.signal);
    });
    // A kill that failed; the exit tells what became of it.
    started.on('error', () => {});
    this.#readStderr(stderr);
  }

  /** `undefined` while it runs. */
  get exit(): ChildExit | undefined {
    return this.#exit;
  }

  /** The last lines of its stderr, oldest first. */
  get stderrTail(): string[] {
    return this.#tail.last();
  }

  /** Ends the group patiently: stdin is closed, then SIGTERM, then SIGKILL. Idempotent; resolves when it is gone. */
  close(): Promise<void> {
    if (this.#reason === undefined && this.#exit === undefined) this.#planned = true;
    this.#closed ??= this.#closeInSteps();
    return this.#closed;
  }

  /** Ends the group because of something it did; `reason` completes "it was ended because it …". */
  async end(reason: string, how: 'term' | 'kill'): Promise<void> {
    if (this.#exit !== undefined) return;
    if (!this.#planned) this.#reason ??= reason;
    if (how === 'term') {
      this.#signalGroup('SIGTERM');
      if (await settlesWithin(this.#exited, this.#options.patience.termMs)) return;
    }
    this.#signalGroup('SIGKILL');
  }

  async #closeInSteps(): Promise<void> {
    const { stdinMs, termMs, killMs } = this.#options.patience;
    this.stdin.end();
    if (!(await settlesWithin(this.#exited, stdinMs))) {
      this.#signalGroup('SIGTERM');
      if (!(await settlesWithin(this.#exited, termMs))) this.#signalGroup('SIGKILL');
    }
    await settlesWithin(this.gone, killMs);
  }

  #noteExit(code: number | null, signal: string | null): ChildExit {
    const at = this.#options.clock.now();
    this.#exit = {
      code: code ?? undefined,
      signal: signal ?? undefined,
      at,
      livedMs: at - this.startedAt,
      reason: this.#reason,
      planned: this.#planned,
    };
    return this.#exit;
  }

  #afterExit(code: number | null, signal: string | null): void {
    // What it started and left behind. Its number cannot have been given away yet while a member of the group lives.
    this.#signalGroup('SIGKILL');
    const exit = this.#noteExit(code, signal);
    this.#options.onExit(this, exit);
    const drained = setTimeout(() => {
      this.stdin.destroy();
      this.stdout.destroy();
      this.#stderr.destroy();
    }, DRAIN_MS);
    this.#process.once('close', () => clearTimeout(drained));
  }

  #signalGroup(signal: NodeJS.Signals): void {
    try {
      if (process.platform !== 'win32') process.kill(-this.pid, signal);
      else if (this.#exit === undefined) spawn('taskkill', ['/pid', String(this.pid), '/T', '/F'], { stdio: 'ignore' });
    } catch {
      // ESRCH: nothing is left of the group.
    }
  }

  #readStderr(stderr: Readable): void {
    const decoder = new StringDecoder('utf8');
    let held = '';
    const take = (line: string): void => {
      const plain = this.#options.toPlain(line.endsWith('\r') ? line.slice(0, -1) : line);
      this.#tail.push(plain);
      this.#options.onStderr(plain);
    };
    stderr.on('data', (chunk: Buffer) => {
      const lines = (held + decoder.write(chunk)).split('\n');
      // The end of a longer line is dropped here, so that a child without newlines cannot fill the memory.
      held = (lines.pop() ?? '').slice(0, MAX_STDERR_LINE);
      for (const line of lines.slice(-MAX_STDERR_LINES_AT_ONCE)) take(line);
    });
    stderr.on('error', () => {});
    // Before `gone` resolves, which reads the tail.
    stderr.once('end', () => {
      if (held !== '') take(held);
    });
  }
}

/** False when `promise` has not settled after `ms`. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
