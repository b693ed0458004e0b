import { isDeepStrictEqual } from 'node:util';
import { type Gateway, listOf, startGateway } from './gateway.ts';
import type { Installed, ServerEntry } from './install-servers.ts';
import { listAll, openHttpClient, openStdioClient } from './mcp-client.ts';

export interface ServerRow {
  readonly table: 'servers';
  readonly server: string;
  readonly version: string;
  /** Undefined: it did not start, for `reason`. */
  readonly tools?: number;
  readonly reason?: string;
}

/**
 * A tool that the server lists and the endpoint does not, a definition with a finding of the block tier, or a missing tool that is
 * malformed: MCP requires an input schema of type object, and clients refuse a list with another one.
 */
export interface ToolRow {
  readonly table: 'missing' | 'block' | 'malformed';
  readonly server: string;
  readonly item: string;
  readonly reason: string;
}

type Definition = Readonly<Record<string, unknown>>;

const AT_ONCE = 2;
/** The endpoint's list is complete, or has not changed for so long. */
const SETTLED_MS = 15_000;
const PATIENCE_MS = 120_000;

/** Lists the tools of every server that starts, from the server itself and from one endpoint in front of all. */
export async function measureTools(
  installed: readonly Installed[],
  folder: string,
  progress: (line: string) => void,
): Promise<readonly (ServerRow | ToolRow)[]> {
  const direct = new Map<string, readonly Definition[]>();
  const servers: ServerRow[] = [];
  const queue = [...installed];
  const work = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const { server, entry, reason } = one;
      const row = { table: 'servers', server: server.name, version: `${server.package}@${server.version}` } as const;
      const found = entry === undefined ? (reason ?? '') : await listDirectly(entry, folder);
      if (typeof found !== 'string') direct.set(server.name, found);
      else progress(`skipped ${row.version}: ${found}`);
      servers.push(typeof found === 'string' ? { ...row, reason: found } : { ...row, tools: found.length });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const entries = installed.flatMap(({ server, entry }) =>
    entry !== undefined && direct.has(server.name) ? [[server.name, entry] as const] : [],
  );
  return [...servers, ...(await listTogether(Object.fromEntries(entries), direct, folder))];
}

async function listDirectly(entry: ServerEntry, folder: string): Promise<readonly Definition[] | string> {
  try {
    const client = await openStdioClient(entry, folder);
    try {
      return await listAll(client, 'tools/list', 'tools');
    } finally {
      await client.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function listTogether(
  mcpServers: Readonly<Record<string, ServerEntry>>,
  direct: ReadonlyMap<string, readonly Definition[]>,
  folder: string,
): Promise<readonly ToolRow[]> {
  const gateway = await startGateway(folder, { mcpServers });
  try {
    const client = await openHttpClient(`${gateway.url}/plain`, gateway.key);
    const startedAt = performance.now();
    let changedAt = startedAt;
    let missing = Number.POSITIVE_INFINITY;
    let offered: readonly Definition[] = [];
    while (missing > 0 && performance.now() - changedAt < SETTLED_MS && performance.now() - startedAt < PATIENCE_MS) {
      offered = await listAll(client, 'tools/list', 'tools');
      const now = findMissing(direct, offered).length;
      if (now !== missing) changedAt = performance.now();
      missing = now;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const pins = await listOf<PinRow>(gateway, '/pins');
    const reasons = await readReasons(gateway);
    const reasonOf = (server: string, item: string) =>
      reasons.get(`${server} ${item}`) ??
      pins.find((pin) => pin.server === server && pin.item === item)?.state ??
      'unknown';
    return [
      ...findMissing(direct, offered).map(({ server, name, isMalformed }) => {
        const item = `tools/${name}`;
        if (isMalformed) return { table: 'malformed', server, item, reason: 'its input schema is no object' } as const;
        return { table: 'missing', server, item, reason: reasonOf(server, item) } as const;
      }),
      ...pins
        .filter(({ found }) => (found?.block ?? 0) > 0)
        .map(({ server, item }) => ({ table: 'block', server, item, reason: reasonOf(server, item) }) as const),
    ];
  } finally {
    await gateway.stop();
  }
}

interface PinRow {
  readonly server: string;
  readonly item: string;
  readonly state: string;
  readonly found: { readonly block: number; readonly review: number } | null;
}

/** What was found in each definition that waits. */
async function readReasons(gateway: Gateway): Promise<ReadonlyMap<string, string>> {
  const waiting = await listOf<{ server: string; item: string; findings?: unknown }>(gateway, '/pins/differences');
  return new Map(waiting.map(({ server, item, findings }) => [`${server} ${item}`, JSON.stringify(findings)]));
}

interface MissingTool {
  readonly server: string;
  readonly name: string;
  readonly isMalformed: boolean;
}

/** Public names are `<server>_<tool>`, or a short form of it, which is told by the definition. */
export function findMissing(
  direct: ReadonlyMap<string, readonly Definition[]>,
  offered: readonly Definition[],
): readonly MissingTool[] {
  const byName = new Map(offered.map((tool) => [String(tool['name']), tool]));
  const missing: MissingTool[] = [];
  for (const [server, tools] of direct) {
    for (const tool of tools) {
      const name = String(tool['name']);
      const isThere =
        byName.has(`${server}_${name}`) ||
        offered.some(
          (other) =>
            String(other['name']).startsWith(server.slice(0, 20)) &&
            other['description'] === tool['description'] &&
            isDeepStrictEqual(other['inputSchema'], tool['inputSchema']),
        );
      if (isThere) continue;
      const schema = tool['inputSchema'] as { readonly type?: unknown } | undefined;
      missing.push({ server, name, isMalformed: schema?.type !== 'object' });
    }
  }
  return missing;
}
