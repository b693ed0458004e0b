import { connectUpstreams } from '../app/connect-upstreams.ts';
import { fetchList } from '../catalog/fetch-list.ts';
import { LIST_KINDS } from '../catalog/items.ts';
import { defineInstructions, digestItem } from '../catalog/pins/define-item.ts';
import { findPackage, toPackageName } from '../catalog/pins/find-package.ts';
import type { LockedItem } from '../catalog/pins/lock-file.ts';
import type { ServerSettings } from '../config/settings.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import { createCliClient } from './cli-exchange.ts';
import type { Input } from './command.ts';
import { openCredentialsOf } from './open-credentials-of.ts';

/** What one server offers at this moment, or why it cannot be asked. */
export interface Offered {
  readonly server: string;
  readonly items: readonly LockedItem[];
  readonly fault: FaultError | undefined;
}

/** Servers asked at the same time: each may start a process. */
const AT_ONCE = 8;

/** Asks servers for everything that is pinned. The trouble of one does not hide the others. */
export async function askForItems(servers: readonly ServerSettings[], input: Input): Promise<readonly Offered[]> {
  const credentials = openCredentialsOf(input);
  const connected = connectUpstreams(servers, credentials.create);
  try {
    const found: Offered[] = [];
    for (let i = 0; i < servers.length; i += AT_ONCE) {
      const some = servers.slice(i, i + AT_ONCE);
      found.push(...(await Promise.all(some.map((settings) => askOne(connected.port, settings, input.signal)))));
    }
    return found;
  } finally {
    await connected.close();
    await credentials.close();
  }
}

async function askOne(upstreams: UpstreamPort, settings: ServerSettings, signal: AbortSignal): Promise<Offered> {
  const { name: server, startTimeoutMs, timeoutMs } = settings;
  const late = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs + timeoutMs)]);
  const client = createCliClient({ ask: undefined, roots: [] });
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

/** Server -> the package its command runs, with its exact version or a star. */
export function packagesOf(servers: Iterable<ServerSettings>): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  for (const { name, transport } of servers) {
    const found = findPackage(transport);
    if (found !== undefined) packages.set(name, toPackageName(found));
  }
  return packages;
}

/** What to say about packages that are another one with every release. */
export function warnOfPackages(packages: ReadonlyMap<string, string>): readonly string[] {
  return [...packages]
    .filter(([, name]) => name.endsWith('@*'))
    .map(
      ([server, name]) =>
        `${server} runs ${name.slice(0, -2)} without an exact version: whoever publishes it chooses what runs. Write name@1.2.3 in its args.`,
    );
}
