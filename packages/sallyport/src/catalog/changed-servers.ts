import { bundleReaches } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import { digestTransport } from './stored.ts';

/** Servers whose part of the merged lists a reload changes. */
export function changedServers(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.servers.keys(), ...after.servers.keys()]);
  const shown = (snapshot: Snapshot, name: string) => {
    const server = snapshot.servers.get(name);
    if (server === undefined) return undefined;
    const { transport, prefix, disabledTools, access = null } = server;
    const bundles = [...(snapshot.bundles?.values() ?? [])].filter((bundle) => bundleReaches(bundle, name));
    return JSON.stringify([
      digestTransport(transport),
      prefix ?? null,
      disabledTools,
      access,
      bundles,
      snapshot.gateway.prefix,
    ]);
  };
  return [...names].filter((name) => shown(before, name) !== shown(after, name));
}
