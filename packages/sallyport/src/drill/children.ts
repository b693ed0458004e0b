import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Every process of the drill. Whatever happens, also at a second Ctrl-C, none outlives it. */
export interface Children {
  start(args: readonly string[], options?: SpawnOptions): Child;
  close(): Promise<void>;
}

export interface Child {
  /** Lines of its stdout. */
  onLine(listener: (line: string) => void): void;
  write(line: string): void;
  /** Its first line. @throws Error when it ends before, or is late. */
  firstLine(): Promise<string>;
  /** What it wrote to stderr last. */
  said(): string;
  /** Ends it, and waits until it is gone. */
  end(): Promise<void>;
}

/** A machine may be busy with anything else. */
const PATIENCE_MS = 60_000;
/** Sallyport ends its own children first. */
const GRACE_MS = 10_000;
const MAX_STDERR = 20_000;

export function openChildren(signal: AbortSignal): Children {
  const running = new Set<ChildProcess>();
  const killAll = (): void => {
    for (const child of running) child.kill('SIGKILL');
  };
  process.on('exit', killAll);
  const ends = new Set<() => Promise<void>>();
  return {
    start(args, options = {}) {
      signal.throwIfAborted();
      const child = spawn(process.execPath, [...args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
      running.add(child);
      const { stdin, stdout, stderr } = child as ChildProcess & { stdin: NonNullable<ChildProcess['stdin']> } & {
        stdout: NonNullable<ChildProcess['stdout']>;
        stderr: NonNullable<ChildProcess['stderr']>;
      }; // all three are pipes
      let said = '';
      stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-MAX_STDERR);
      });
      stdin.on('error', () => undefined);
      const gone = once(child, 'close').then(() => void running.delete(child));
      gone.catch(() => undefined);
      const lines = createInterface({ input: stdout });
      const end = async (): Promise<void> => {
        ends.delete(end);
        if (!running.has(child)) return;
        stdin.end();
        child.kill('SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
        await gone.catch(() => undefined);
        clearTimeout(late);
      };
      ends.add(end);
      return {
        onLine: (listener) => void lines.on('line', listener),
        write: (line) => void stdin.write(`${line}\n`),
        async firstLine() {
          const deadline = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
          const line = once(lines, 'line', { signal: deadline }).then(
            ([text]) => String(text),
            () => {
              throw new Error('a process of the drill does not start');
            },
          );
          return Promise.race([
            line,
            gone.then(() => {
              throw new Error(`a process of the drill ended: ${said.slice(-2_000)}`);
            }),
          ]);
        },
        said: () => said.slice(-2_000),
        end,
      };
    },
    async close() {
      await Promise.all([...ends].map((end) => end()));
      process.off('exit', killAll);
    },
  };
}
