import { type ChildProcess, spawn } from 'node:child_process';
import type { Log } from '../core/log.ts';

/**
 * Reads "+<group>" and "-<group>" lines. When its input ends, Sallyport is gone in whatever way, and what it was told
 * of and not told to forget is killed. Plain POSIX shell: about 1 MB, no second node process.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE TSTP
groups=' '
while IFS= read -r line; do
  group=\${line#?}
  case $group in ''|*[!0-9]*|0|1) continue ;; esac
  case $line in
    +*) groups="$groups$group " ;;
    -*) key=" $group "; case $groups in *"$key"*) groups="\${groups%%$key*} \${groups#*$key}" ;; esac ;;
  esac
done
for group in $groups; do kill -9 "-$group" 2>/dev/null; done
`;

const MAX_RESTARTS = 10;

/** Ends process groups after Sallyport itself was killed (`kill -9`, out of memory), when nothing in it can act any more. */
export class Watchdog {
  readonly #log: Log;
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;
  #restarts = 0;
  #closing = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `undefined` before the first group and where there is no watchdog (Windows). */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#tell(`+${group}\n`);
  }

  /** To be called as soon as the group's leader is reaped: from then on its number may come to mean somebody else. */
  forget(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`-${group}\n`);
  }

  /** Groups still watched are killed. Idempotent. */
  async close(): Promise<void> {
    this.#closing = true;
    const shell = this.#shell;
    if (shell === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
    shell.ref();
    const exited = new Promise((resolve) => shell.once('exit', resolve));
    shell.stdin?.end();
    await exited;
  }

  #start(): void {
    if (process.platform === 'win32' || this.#closing) return;
    // Its own session: neither a terminal's Ctrl-C nor a kill of Sallyport's process group reaches it.
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sallyport-watchdog'], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    shell.unref();
    shell.stdin?.on('error', () => {});
    if (shell.stdin !== null && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
    shell.once('error', (error) => this.#lost(shell, error.message));
    shell.once('exit', (code, signal) => this.#lost(shell, `ended with ${signal ?? code}`));
    for (const group of this.#groups) this.#tell(`+${group}\n`);
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(line);
  }

  #lost(shell: ChildProcess, why: string): void {
    if (this.#closing || this.#shell !== shell) return;
    this.#shell = undefined;
    this.#restarts++;
    const again = this.#restarts <= MAX_RESTARTS;
    this.#log.warn({ why, again }, 'The watchdog for child processes is gone');
    if (again) this.#start();
  }
}
