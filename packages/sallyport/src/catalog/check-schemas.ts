import type { Tool } from '../core/call.ts';
import type { ToolSchemas } from './contract.ts';
import type { Item } from './items.ts';

/** Checks run in a worker one after the other; more at once would only wait there. */
const AT_ONCE = 8;

/**
 * Has the schemas of these tools checked, behind: they are listed and called meanwhile, since a schema that nobody can use costs
 * the validation and nothing else.
 */
export async function checkSchemas(
  schemas: ToolSchemas,
  { upstream, items }: { readonly upstream: string; readonly items: readonly Item[] },
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; i < items.length && !signal.aborted; i += AT_ONCE)
    await Promise.all(items.slice(i, i + AT_ONCE).map((item) => schemas.check(toTool(upstream, item))));
}

function toTool(upstream: string, { id, digest, definition = {} }: Item): Tool {
  return {
    ...{ upstream, name: id, publicName: id, definition, digest },
    ...{ setAside: undefined, approvedHints: {}, sinks: [] },
  };
}
