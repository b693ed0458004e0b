import { fetchList } from '../catalog/fetch-list.ts';
import { LIST_KINDS } from '../catalog/items.ts';
import { defineInstructions, digestItem } from '../catalog/pins/define-item.ts';
import type { LockedItem } from '../catalog/pins/lock-file.ts';
import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';

/** What one server offers at this moment, or why it cannot be asked. */
export interface Offered {
  readonly server: string;
  readonly items: readonly LockedItem[];
  readonly fault: FaultError | undefined;
}

/** Servers asked at the same time: each may start a process. */
const AT_ONCE = 8;

export interface OfferedPorts {
  readonly upstreams: UpstreamPort;
  readonly client: Client;
  /** Aborted: everything is given up. */
  readonly signal: AbortSignal;
}

/** Asks servers for everything that is pinned. The trouble of one does not hide the others. */
export async function askForItems(
  servers: readonly ServerSettings[],
  ports: OfferedPorts,
): Promise<readonly Offered[]> {
  const found: Offered[] = [];
  for (let i = 0; i < servers.length; i += AT_ONCE)
    found.push(...(await Promise.all(servers.slice(i, i + AT_ONCE).map((settings) => askOne(settings, ports)))));
  return found;
}

async function askOne(settings: ServerSettings, { upstreams, client, signal }: OfferedPorts): Promise<Offered> {
  const { name: server, startTimeoutMs, timeoutMs } = settings;
  const late = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs + timeoutMs)]);
  try {
    const { instructions, capabilities } = await upstreams.identify(server, client);
    const items: LockedItem[] = [
      { server, kind: 'instructions', name: '', digest: defineInstructions(instructions).digest },
    ];
    for (const [kind, { capability }] of LIST_KINDS) {
      if (!isObject(member(capabilities, capability))) continue;
      const list = await fetchList({ upstreams, upstream: server, client, signal: late }, kind);
      items.push(...list.items.map((item) => ({ server, kind, name: item.id, digest: digestItem(kind, item) })));
    }
    return { server, items, fault: undefined };
  } catch (error) {
    const fault =
      late.aborted && !signal.aborted ? new FaultError('timeout', 'It did not answer in time.') : toFault(error);
    if (fault.code === 'cancelled' || fault.code === 'internal') throw error;
    return { server, items: [], fault };
  }
}
