import type { Tool } from '../core/call.ts';
import type { Log } from '../core/log.ts';
import type { CatalogPorts } from './contract.ts';
import type { Item } from './items.ts';
import { waitAtMost } from './wait-at-most.ts';

/** Checks run in a worker one after the other; more at once would only wait there. */
const AT_ONCE = 8;
/**
 * The worker has a limit of its own per check, which starts when the check does. This one is for a check that never returns. It
 * includes the time that checks of all other servers take: with 45 servers on a busy machine that is most of a minute.
 */
const CHECK_MS = 120_000;

/** Which of these tools may not be called, and why. Tools whose digest is in `good` passed before. */
export async function judgeTools(
  ports: Pick<CatalogPorts, 'checkSchemas'> & { readonly log: Log },
  upstream: string,
  candidates: { readonly items: readonly Item[]; readonly good: ReadonlySet<string> },
): Promise<ReadonlyMap<string, string>> {
  const setAside = new Map<string, string>();
  if (ports.checkSchemas === undefined) return setAside;
  const open = candidates.items.filter((item) => !candidates.good.has(item.digest));
  for (let i = 0; i < open.length; i += AT_ONCE) {
    await Promise.all(
      open.slice(i, i + AT_ONCE).map(async (item) => {
        const reason = await judgeTool(ports, upstream, item);
        if (reason !== undefined) setAside.set(item.id, reason);
      }),
    );
  }
  return setAside;
}

async function judgeTool(
  ports: Pick<CatalogPorts, 'checkSchemas'> & { readonly log: Log },
  upstream: string,
  item: Item,
): Promise<string | undefined> {
  const { id, digest, definition = {} } = item;
  const unnamed = { setAside: undefined, approvedHints: {}, sinks: [] };
  const tool: Tool = { upstream, name: id, publicName: id, definition, digest, ...unnamed };
  let reason: string | undefined;
  try {
    const check = Promise.resolve(ports.checkSchemas?.(tool)).then((found) => {
      reason = found;
    });
    if (!(await waitAtMost(check, CHECK_MS))) return 'its schemas could not be checked in time';
    return reason;
  } catch (error) {
    // A check that fails says nothing about the schema: fail closed.
    ports.log.warn({ upstream, tool: id, error: String(error) }, 'schema check failed');
    return 'its schemas could not be checked';
  }
}
