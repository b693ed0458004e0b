import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atTheEnd } from './at-the-end.ts';
import { type Block, ROOT } from './docs-pages.ts';
import { freePort } from './doctor-servers.ts';
import { type Announcement, newTestFolder } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const MAIN = join(ROOT, 'packages/sallyport/bin/sallyport.js');
/** Where the guides say that Sallyport listens. */
const WRITTEN_PORT = '7411';
const WRITTEN_HOST = `127.0.0.1:${WRITTEN_PORT}`;
/** Where a guide starts a Sallyport of its own. */
const GUIDE_PORT = '7412';
const WRITTEN_FOLDER = '/home/you/sallyport';
/** A deadline and no assertion on speed. */
const BLOCK_MS = 180_000;
const BIN = '.bin';

interface Step {
  readonly command: string;
  /** What the page shows below it; `undefined`: nothing. */
  readonly expected: string | undefined;
}

/** What a clone looks like after `npm start`: the sample running, its key in `.sallyport`. */
export class DocsShell {
  readonly #folder: string;
  readonly #host: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(folder: string, host: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#host = host;
    this.#env = env;
  }

  static async open(): Promise<DocsShell> {
    const folder = newTestFolder();
    for (const name of readdirSync(ROOT)) {
      // Copied, not linked: commands of the guides may write into it.
      if (name === 'sallyport.sample.json') cpSync(join(ROOT, name), join(folder, name));
      else if (!['.git', '.sallyport'].includes(name)) symlinkSync(join(ROOT, name), join(folder, name));
    }
    mkdirSync(join(folder, '.sallyport'), { mode: 0o700 });
    mkdirSync(join(folder, BIN));
    // A program and no shell function, so that `$!` is the process that a signal has to reach.
    const program = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
    writeFileSync(join(folder, BIN, 'sallyport'), program, { mode: 0o755 });
    const { XDG_CONFIG_HOME: _config, XDG_STATE_HOME: _state, ...inherited } = process.env;
    const env = {
      ...inherited,
      HOME: folder,
      SALLYPORT_STATE: join(folder, '.sallyport'),
      SALLYPORT_CONFIG: join(folder, 'sallyport.sample.json'),
    };
    const child = spawn(process.execPath, [MAIN, 'up', '--port', '0', '--json'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = new Promise((resolve) => child.once('close', resolve));
    atTheEnd(async () => {
      child.kill('SIGTERM');
      await exited;
    });
    const facts = await new Promise<Announcement>((resolve, reject) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))));
      });
      child.once('close', () => reject(new Error('Sallyport ended')));
    });
    // Waits for the start of the server: what is slow is answered as a stream, which the pages do not show.
    const call = [MAIN, 'tool', 'call', '--gateway', 'everything_echo', 'message=up'];
    await waitFor(() => promisify(execFile)(process.execPath, call, { cwd: folder, env }));
    return new DocsShell(folder, new URL(facts.url).host, env);
  }

  /** Runs blocks in one shell and says what differs from the page; nothing: all is as it is written. */
  async run(blocks: readonly Block[]): Promise<readonly string[]> {
    const steps = blocks.flatMap(({ language, text }) =>
      language === 'console' ? toSteps(text) : [{ command: text, expected: undefined }],
    );
    const results = await this.#runAll(steps, blocks.length * BLOCK_MS);
    return steps.flatMap((step, index) => {
      const result = results[index];
      if (result === undefined) return [`${step.command}\n  was not run`];
      if (step.expected === undefined)
        return result.status === '0' ? [] : [`${step.command}\n  exit ${result.status}: ${result.output}`];
      return toPattern(step.expected).test(`${result.output}\n`)
        ? []
        : [`${step.command}\n--- the page says\n${step.expected}\n--- it printed\n${result.output}`];
    });
  }

  /** One shell for all: variables and background jobs live on from line to line. */
  async #runAll(steps: readonly Step[], mostMs: number): Promise<readonly { output: string; status: string }[]> {
    const ownPort = String(await freePort());
    const script = steps.map(
      ({ command }) =>
        `${command.replaceAll(WRITTEN_HOST, this.#host).replaceAll(GUIDE_PORT, ownPort)}\n__status=$?; printf '\\0%s\\0' "$__status"; (exit $__status)`,
    );
    const prelude = `PATH=${join(this.#folder, BIN)}:$PATH\nKEY=$(cat .sallyport/key)\n`;
    // In the shell itself: a page that waits in a loop must end also where whoever runs this was killed.
    const deadline = `((sleep ${mostMs / 1000}; kill -KILL -- -$$) > /dev/null &)\n`;
    const child = spawn('bash', ['-c', `exec 2>&1\n${deadline}${prelude}${script.join('\n')}`], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await new Promise((resolve) => child.once('exit', resolve));
    killGroup(child.pid);
    const port = new RegExp(`\\b${this.#host.split(':')[1]}\\b`, 'g');
    const parts = text
      .replace(port, WRITTEN_PORT)
      .replace(new RegExp(`\\b${ownPort}\\b`, 'g'), GUIDE_PORT)
      .replaceAll(this.#folder, WRITTEN_FOLDER)
      .split('\0');
    return steps.flatMap((_, index) => {
      const [output, status] = [parts[index * 2], parts[index * 2 + 1]];
      return output === undefined || status === undefined ? [] : [{ output: trimLines(output), status }];
    });
  }
}

/** What a block left running ends with it. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing was left.
  }
}

/** `$ ` begins a command, `> ` continues it, all else is what it printed. */
function toSteps(text: string): readonly Step[] {
  const steps: { command: string; expected: string | undefined }[] = [];
  for (const line of text.split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: undefined });
    else if (last === undefined) throw new Error(`a console block begins with "$ ": ${line}`);
    else if (line.startsWith('> ')) last.command += `\n${line.slice(2)}`;
    else if (last.expected === undefined) last.expected = line;
    else last.expected += `\n${line}`;
  }
  return steps.map((step) => ({ ...step, expected: step.expected?.trim() || undefined }));
}

/** `…` stands for anything within a line, a line that is nothing else for any lines. */
function toPattern(expected: string): RegExp {
  const lines = trimLines(expected)
    .split('\n')
    .map((line) => {
      if (line.trim() === '…') return '(?:.*\\n)*?';
      return `${line.split('…').map(escapePattern).join('.*')}\\n`;
    });
  return new RegExp(`^${lines.join('')}$`, 'u');
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Each line without its trailing blanks, empty ones at both ends left out. */
function trimLines(text: string): string {
  return text
    .replaceAll('\r', '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
