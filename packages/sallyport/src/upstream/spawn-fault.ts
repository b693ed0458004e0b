import { existsSync } from 'node:fs';
import type { ServerSettings, Transport } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';

/** A server that is started here. */
export type StdioSettings = ServerSettings & { readonly transport: Extract<Transport, { readonly type: 'stdio' }> };

export function isStdio(settings: ServerSettings): settings is StdioSettings {
  return settings.transport.type === 'stdio';
}

/** Who brings the programs that servers are usually started with. */
export const INSTALL_HINTS: ReadonlyMap<string, string> = new Map([
  ['npx', 'Install Node.js, which brings npx'],
  ['npm', 'Install Node.js, which brings npm'],
  ['node', 'Install Node.js'],
  ['bunx', 'Install Bun, which brings bunx'],
  ['uvx', 'Install uv, which brings uvx (https://docs.astral.sh/uv/)'],
  ['uv', 'Install uv (https://docs.astral.sh/uv/)'],
  ['python', 'Install Python, or use "python3"'],
  ['docker', 'Install Docker'],
]);

/** What a failed start means and how to mend it. `error` is what `spawn` threw or emitted. */
export function toSpawnFault(settings: StdioSettings, error: unknown): FaultError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const text = `The server "${settings.name}" could not be started: ${explain(settings.transport, code)}`;
  return new FaultError('unreachable', text, { cause: error, data: { code }, isOurs: true });
}

/** Bubblewrap was found to work and did not this time: without it nothing is started. */
export function toBoxFault({ name }: StdioSettings, words: string): FaultError {
  const text = `The server "${name}" could not be started: bubblewrap ended before it${words === '' ? '' : ` (${words})`}.`;
  return new FaultError('unreachable', text, { isOurs: true });
}

function explain({ command: written, cwd }: StdioSettings['transport'], code: string): string {
  // A whole command line, arguments and secrets in them included, is not repeated.
  const command = /\s/.test(written) && !existsSync(written) ? written.replace(/\s.*$/s, ' …') : written;
  if (cwd !== undefined && !existsSync(cwd)) {
    return `its working directory "${cwd}" does not exist. Create it or correct "cwd".`;
  }
  switch (code) {
    case 'ENOENT':
      return `the command "${command}" was not found. ${mendMissing(command)}`;
    case 'EACCES':
    case 'EPERM':
      return `"${command}" may not be executed. Make it executable (chmod +x), or give its interpreter as "command" and the file in "args".`;
    case 'ENOEXEC':
      return `"${command}" is not a program this system can run. Give its interpreter as "command" and the file in "args".`;
    case 'E2BIG':
      return 'its arguments and environment are too large for the system. Shorten "args" or "env".';
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return `the system has no room for another process (${code}). End processes or raise its limits (ulimit -n, ulimit -u).`;
    case 'EINVAL':
      return `the system refuses to run "${command}" directly. Where it is a batch file (Windows), use "command": "cmd" with "args": ["/c", "${command}", …].`;
    default:
      return `${code}. Check "command", "args", "env" and "cwd".`;
  }
}

function mendMissing(command: string): string {
  if (/\s/.test(command) && !existsSync(command)) {
    return 'It holds spaces: put the program alone into "command" and the rest into "args".';
  }
  if (/[\\/]/.test(command)) {
    return existsSync(command)
      ? 'The file is there, so the interpreter named in its first line is missing: install that.'
      : 'Correct the path in "command".';
  }
  const hint = INSTALL_HINTS.get(command) ?? 'Install it';
  return `${hint}, or give its full path in "command"; it is looked for in the directories of PATH.`;
}
