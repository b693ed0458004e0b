import type { Snapshot } from '../config/settings.ts';

/** Host of a server's address; `undefined`: it runs on this machine, or there is none of this name. */
export function hostOf({ servers }: Pick<Snapshot, 'servers'>, upstream: string): string | undefined {
  const transport = servers.get(upstream)?.transport;
  if (transport === undefined || transport.type === 'stdio' || !URL.canParse(transport.url)) return undefined;
  return new URL(transport.url).hostname.toLowerCase();
}
