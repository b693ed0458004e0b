import type { ServerSettings, Snapshot } from '../config/settings.ts';
import { readRoots } from '../guard/taint/roots.ts';

const roots = new WeakMap<ServerSettings, readonly string[]>();

/**
 * What a server that runs here was given on its command line, and the directories the operator allows paths in.
 * @param home directory of the user
 */
export function rootsOf(
  { servers, argumentSafety }: Pick<Snapshot, 'servers' | 'argumentSafety'>,
  upstream: string,
  home: string,
): readonly string[] | undefined {
  const declared = argumentSafety?.roots ?? [];
  const server = servers.get(upstream);
  if (server === undefined || server.transport.type !== 'stdio') return declared.length === 0 ? undefined : declared;
  let known = roots.get(server);
  if (known === undefined) {
    known = [...readRoots(server.transport, { home, cwd: process.cwd() }), ...declared];
    roots.set(server, known);
  }
  return known;
}
