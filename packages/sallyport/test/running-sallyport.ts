import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atTheEnd } from './at-the-end.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));
const UPSTREAM = fileURLToPath(new URL('fixtures/upstream-stdio.mjs', import.meta.url));
const MAX_STDERR = 4_000_000;

/** A configuration file as a test writes it. */
export interface WrittenConfig {
  readonly gateway?: Record<string, unknown>;
  readonly mcpServers?: Record<string, unknown>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The entry of the stdio server in fixtures/upstream-stdio.mjs. */
export function misbehaving(options: Record<string, unknown> = {}, settings: Record<string, unknown> = {}) {
  return { command: process.execPath, args: [UPSTREAM, JSON.stringify(options)], ...settings };
}

/** A folder of its own for a test that is gone with it. */
export function newTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The built program as a child: its streams, its log, its end. Ended with the test whatever happens. */
export class SallyportProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly folder: string;
  readonly configFile: string;
  readonly stateDir: string;
  stderr = '';
  stdout = '';
  #wake: (() => void)[] = [];
  #ended = false;

  constructor(config: WrittenConfig | string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.folder = newTestFolder();
    this.configFile = join(this.folder, 'sallyport.json');
    this.stateDir = join(this.folder, 'state');
    this.write(config);
    const child = spawn(
      process.execPath,
      [MAIN, ...(args.includes('--config') ? args : [...args, '--config', this.configFile])],
      {
        env: { ...process.env, SALLYPORT_STATE: this.stateDir, ...env },
        cwd: this.folder,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    this.child = child;
    this.exited = once(child, 'close').then(([code, signal]) => {
      this.#ended = true;
      this.#tell();
      return { code, signal };
    });
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-MAX_STDERR);
      this.#tell();
    });
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    atTheEnd(async () => {
      child.kill('SIGKILL');
      await this.exited;
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  write(config: WrittenConfig | string): void {
    writeFileSync(this.configFile, typeof config === 'string' ? config : JSON.stringify(config));
  }

  /** Waits until `look` finds something; looked at after everything the program writes. */
  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (this.#ended) throw new Error(`Sallyport ended: ${this.stderr.slice(-2000)}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** Waits for a log line that matches. */
  logged(pattern: RegExp): Promise<string> {
    return this.until(() => pattern.exec(this.stderr)?.[0]);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.child.kill(signal);
    return this.exited;
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** What `sallyport up --json` prints. */
export interface Announcement {
  readonly url: string;
  readonly sse: string;
  readonly keyFile: string | null;
  readonly servers: Readonly<Record<string, string>>;
  readonly pid: number;
}

export interface RunningGateway extends Announcement {
  readonly origin: string;
  readonly key: string | null;
  readonly process: SallyportProcess;
  /** What every honest request carries. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `sallyport up` on a port the system chose. */
export async function startGateway(
  config: WrittenConfig,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const process = new SallyportProcess(config, ['up', '--port', '0', '--json', ...args], env);
  const line = await process.until(() => /^\{.*\}\n/.exec(process.stdout)?.[0]);
  const facts = JSON.parse(line) as Announcement;
  const key = facts.keyFile === null ? null : readFileSync(facts.keyFile, 'utf8').trim();
  return {
    ...facts,
    key,
    origin: new URL(facts.url).origin,
    process,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
  };
}

/** `sallyport stdio`, spoken to line by line. */
export class StdioGateway {
  readonly process: SallyportProcess;
  readonly #lines: string[] = [];
  #read = 0;
  #searched = 0;

  constructor(config: WrittenConfig, args: readonly string[] = []) {
    this.process = new SallyportProcess(config, ['stdio', ...args]);
  }

  /** Each string one line, bytes as characters. */
  send(...lines: (string | Buffer)[]): void {
    for (const line of lines) {
      this.process.child.stdin?.write(line);
      this.process.child.stdin?.write('\n');
    }
  }

  /** Whole lines so far, bytes as characters. */
  get lines(): readonly string[] {
    const { stdout } = this.process;
    for (let end = stdout.indexOf('\n', this.#searched); end >= 0; end = stdout.indexOf('\n', this.#read)) {
      this.#lines.push(stdout.slice(this.#read, end));
      this.#read = end + 1;
      this.#searched = this.#read;
    }
    this.#searched = stdout.length;
    return this.#lines;
  }

  /** The first line that contains `part`. */
  line(part: string): Promise<string> {
    return this.process.until(() => this.lines.find((line) => line.includes(part)));
  }
}
