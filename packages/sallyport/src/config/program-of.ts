import { findPackage } from './find-package.ts';
import type { ServerSettings, Snapshot, Transport } from './settings.ts';

const INTERPRETERS: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'tsx', 'python', 'python3', 'ruby', 'java']);

const known = new WeakMap<Transport, string>();

/**
 * What a server is, whatever it is called and given: a package without its version, a script, a command with its
 * arguments, an address. Two entries of one program offer the same tools, and neither imitates the other.
 */
export function programOf({ transport }: ServerSettings): string {
  const before = known.get(transport);
  if (before !== undefined) return before;
  const program = nameProgram(transport);
  known.set(transport, program);
  return program;
}

/** The same by the name of a server of the configuration in force. */
export function toProgramOf(snapshot: () => Pick<Snapshot, 'servers'>): (server: string) => string | undefined {
  return (server) => {
    const settings = snapshot().servers.get(server);
    return settings === undefined ? undefined : programOf(settings);
  };
}

function nameProgram(transport: Transport): string {
  if (transport.type !== 'stdio') {
    const url = URL.canParse(transport.url) ? new URL(transport.url) : undefined;
    return url === undefined ? transport.url : `${url.origin}${url.pathname}`;
  }
  const found = findPackage(transport);
  if (found !== undefined) return `${found.registry}:${found.name}`;
  const { command, args } = transport;
  const isInterpreter = INTERPRETERS.has(command.replace(/^.*[\\/]/, '').replace(/\.exe$/i, ''));
  const script = isInterpreter ? args.findIndex((word) => !word.startsWith('-')) : -1;
  // Options before the script belong to what runs; what follows it is given to it.
  return JSON.stringify([command, ...(script < 0 ? args : args.slice(0, script + 1))]);
}
