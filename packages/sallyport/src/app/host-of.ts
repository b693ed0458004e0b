import type { Snapshot } from '../config/settings.ts';

/** By the transport of a snapshot, which does not change: every result asks for it, and a URL takes microseconds to read. */
const hosts = new WeakMap<object, { readonly name: string | undefined }>();

/** Host of a server's address; `undefined`: it runs on this machine, or there is none of this name. */
export function hostOf({ servers }: Pick<Snapshot, 'servers'>, upstream: string): string | undefined {
  const transport = servers.get(upstream)?.transport;
  if (transport === undefined || transport.type === 'stdio') return undefined;
  let host = hosts.get(transport);
  if (host === undefined) {
    host = { name: URL.canParse(transport.url) ? new URL(transport.url).hostname.toLowerCase() : undefined };
    hosts.set(transport, host);
  }
  return host.name;
}
