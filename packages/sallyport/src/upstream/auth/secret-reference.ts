import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { FaultError } from '../../core/errors.ts';

/** Reads a secret that stands elsewhere. */
export type ReadSecret = (reference: string) => Promise<string>;

const COMMAND_MS = 10_000;
const MAX_BYTES = 65_536;

/**
 * What an `env:NAME`, `file:/path` or `command:program arguments` reference leads to, without the line break at its end.
 * Read at use, so that a rotated secret needs no restart. A command is started without a shell.
 * @throws FaultError `config` that names the reference and never what was read.
 */
export function createReadSecret(env: Readonly<Record<string, string | undefined>>): ReadSecret {
  return async (reference) => {
    const at = reference.indexOf(':');
    const kind = reference.slice(0, at);
    const rest = reference.slice(at + 1);
    const text = await readOf(kind, rest, env).catch((error: unknown) => {
      throw toFault(kind, rest, error);
    });
    const secret = text.replace(/\r?\n$/, '');
    if (secret === '') throw new FaultError('config', `The secret ${describe(kind, rest)} is empty.`);
    return secret;
  };
}

async function readOf(kind: string, rest: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  if (kind === 'env') {
    const value = Object.hasOwn(env, rest) ? env[rest] : undefined;
    if (value === undefined) throw new Error('it is not set');
    return value;
  }
  if (kind === 'file') return readSmall(rest);
  if (kind === 'command') return runCommand(rest);
  throw new Error('references begin with env:, file: or command:');
}

async function readSmall(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.length > MAX_BYTES) throw new Error('it is larger than 64 KiB');
  return bytes.toString('utf8');
}

function runCommand(line: string): Promise<string> {
  const [program = '', ...args] = line.trim().split(/\s+/);
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: COMMAND_MS, maxBuffer: MAX_BYTES, killSignal: 'SIGKILL' }, (error, stdout) => {
      // The error of execFile holds what the program printed.
      if (error === null) resolve(stdout);
      else reject(new Error(error.killed === true ? 'it did not end in time' : `it ended with ${String(error.code)}`));
    });
  });
}

function toFault(kind: string, rest: string, error: unknown): FaultError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  const reason = code ?? (error instanceof Error ? error.message : 'unknown');
  return new FaultError('config', `The secret ${describe(kind, rest)} cannot be read: ${reason}.`);
}

/** The arguments of a command may themselves be secret. */
function describe(kind: string, rest: string): string {
  return kind === 'command' ? `command:${rest.trim().split(/\s+/, 1)[0] ?? ''}` : `${kind}:${rest}`.slice(0, 200);
}
