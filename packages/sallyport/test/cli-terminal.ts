import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { runCommand } from '../src/cli/run-command.ts';

const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** A real server as words after `--`. */
export const EVERYTHING: readonly string[] = ['--', process.execPath, script];
export const EVERYTHING_ENTRY = { command: process.execPath, args: [script] };

export interface Setting {
  readonly home?: string;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  /** A terminal on all three streams; each question on stderr that ends in a space takes the next answer. */
  readonly answers?: string[];
  /** Called when this text stands on stderr. */
  readonly interruptAt?: string;
}

/** Runs one command line in this process, with folders of its own. */
export async function cli(args: readonly string[], setting: Setting = {}) {
  const home = setting.home ?? newFolder();
  const isTTY = setting.answers !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (!isTTY) stdin.end(setting.stdin ?? '');
  let interrupt = () => {};
  const answers = [...(setting.answers ?? [])];
  const stdout = screen(isTTY);
  const stderr = screen(isTTY, (text) => {
    if (setting.interruptAt !== undefined && text.includes(setting.interruptAt)) interrupt();
    if (/[:\]] $/.test(text) && answers.length > 0) stdin.write(`${answers.shift()}\n`);
  });
  const exit = await runCommand(
    args,
    {
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      env: { PATH: process.env['PATH'], ...setting.env },
      cwd: setting.cwd ?? home,
      home,
      platform: 'linux',
      onInterrupt(listener) {
        interrupt = listener;
        return () => {};
      },
    },
    COMMANDS,
  );
  return {
    exit,
    stdout: stdout.text(),
    stderr: stderr.text(),
    bytes: stdout.bytes(),
    json: () => JSON.parse(stdout.text()) as unknown,
    answersLeft: answers.length,
  };
}

function screen(isTTY: boolean, heard: (text: string) => void = () => {}) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
      heard(chunk.toString('utf8'));
    },
  });
  const bytes = () => Buffer.concat(chunks);
  return { stream: Object.assign(stream, { isTTY, columns: 100 }), bytes, text: () => bytes().toString('utf8') };
}

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
