import { fetchList } from '../catalog/fetch-list.ts';
import { LIST_KINDS } from '../catalog/items.ts';
import { defineInstructions, defineItem, defineServerInfo } from '../catalog/pins/define-item.ts';
import type { LockedItem } from '../catalog/pins/lock-file.ts';
import type { Definition } from '../catalog/pins/pin.ts';
import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import { digestProgram } from './program-gate.ts';

/** One thing a server offers. */
export interface OfferedItem extends LockedItem {
  /** JSON; left out where there are no words to read. */
  readonly text?: string;
}

/** What one server offers at this moment, or why it cannot be asked. */
export interface Offered {
  readonly server: string;
  readonly items: readonly OfferedItem[];
  readonly fault: FaultError | undefined;
  /** Its program is not the expected one: it was not started, so nothing else is known. */
  readonly isHeld?: boolean;
}

/** Servers asked at the same time: each may start a process. */
const AT_ONCE = 8;

export interface OfferedPorts {
  readonly upstreams: UpstreamPort;
  readonly client: Client;
  /** Aborted: everything is given up. */
  readonly signal: AbortSignal;
  /** Server -> the digest of the program that may be started; for the others whatever is there. Left out: programs are not looked at. */
  readonly programs?: ReadonlyMap<string, string> | undefined;
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

async function askOne(settings: ServerSettings, ports: OfferedPorts): Promise<Offered> {
  const { upstreams, client, signal, programs } = ports;
  const { name: server, startTimeoutMs, timeoutMs } = settings;
  const late = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs + timeoutMs)]);
  const findProgram = () => (programs === undefined ? undefined : digestProgram(settings.transport));
  try {
    const before = await findProgram();
    const expected = programs?.get(server);
    if (before !== undefined && expected !== undefined && before !== expected)
      return { server, items: [{ server, kind: 'program', name: '', digest: before }], fault: undefined, isHeld: true };
    const identity = await upstreams.identify(server, client);
    const { instructions, capabilities } = identity;
    const info = defineServerInfo(identity);
    const items: OfferedItem[] = [
      { server, kind: 'instructions', name: '', ...wordsOf(defineInstructions(instructions)) },
    ];
    if (info !== undefined) items.push({ server, kind: 'serverInfo', name: '', ...wordsOf(info) });
    // The start may have fetched it.
    const program = before ?? (await findProgram());
    if (program !== undefined) items.push({ server, kind: 'program', name: '', digest: program });
    for (const [kind, { capability }] of LIST_KINDS) {
      if (!isObject(member(capabilities, capability))) continue;
      const list = await fetchList({ upstreams, upstream: server, client, signal: late }, kind);
      items.push(...list.items.map((item) => ({ server, kind, name: item.id, ...wordsOf(defineItem(kind, item)) })));
    }
    return { server, items, fault: undefined };
  } catch (error) {
    const fault =
      late.aborted && !signal.aborted ? new FaultError('timeout', 'It did not answer in time.') : toFault(error);
    if (fault.code === 'cancelled' || fault.code === 'internal') throw error;
    return { server, items: [], fault };
  }
}

function wordsOf({ digest, text }: Definition): Pick<OfferedItem, 'digest' | 'text'> {
  return { digest, text };
}
