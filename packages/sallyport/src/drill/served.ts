import { isObject, type JsonObject, member } from '../core/json.ts';
import { LATEST_LEGACY } from '../upstream/revisions.ts';
import type { DrillServer, DrillTool, Stage } from './scenario.ts';

/** A JSON-RPC message without its version. */
export type Line = Readonly<Record<string, unknown>>;

export interface ServedPorts extends Pick<Stage, 'note' | 'ask' | 'get'> {
  tell(method: string): void;
}

/** One MCP server of the drill, whatever carries its messages. */
export function createServed(server: DrillServer, ports: ServedPorts) {
  let tools = server.tools;
  const stage: Stage = {
    note: ports.note,
    ask: ports.ask,
    get: ports.get,
    memory: new Map(),
    change() {
      tools = server.changed ?? tools;
      ports.note('changed', 'offers other definitions now');
      ports.tell('notifications/tools/list_changed');
    },
  };
  // It believes every address it is asked for.
  const readResource = async (uri: string): Promise<JsonObject> => {
    const text = await ports.get(uri).catch(() => 'There is no such page.');
    return { uri, mimeType: 'text/plain', text };
  };
  const answer = async (method: string, params: unknown): Promise<JsonObject | undefined> => {
    if (method === 'initialize')
      return {
        protocolVersion: LATEST_LEGACY,
        capabilities: { tools: { listChanged: true }, resources: {} },
        serverInfo: { name: server.name, version: '1.0.0' },
      };
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools: tools.map(toDefinition) };
    if (method === 'resources/list') return { resources: [] };
    if (method === 'resources/templates/list') return { resourceTemplates: [] };
    if (method === 'resources/read') return { contents: [await readResource(String(member(params, 'uri')))] };
    if (method !== 'tools/call') return undefined;
    const tool = tools.find(({ name }) => name === member(params, 'name'));
    if (tool === undefined) return failed('There is no such tool.');
    try {
      const content = await tool.run(toTexts(member(params, 'arguments')), stage);
      return { content: typeof content === 'string' ? [{ type: 'text', text: content }] : content };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  };
  return {
    /** @returns the answer; `undefined` for what has none. */
    async handle(message: unknown): Promise<Line | undefined> {
      const id = member(message, 'id');
      const method = member(message, 'method');
      if (id === undefined || typeof method !== 'string') return undefined;
      const result = await answer(method, member(message, 'params'));
      return result === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result };
    },
  };
}

/** What a server says of itself: what a Sallyport is asked to approve. */
export function describeServers(servers: readonly DrillServer[]): string {
  return JSON.stringify(
    servers.map(({ name, tools, changed = [] }) => [name, tools.map(toDefinition), changed.length]),
  );
}

function failed(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

function toDefinition({ name, description, takes = {}, optional = [], readOnly }: DrillTool): JsonObject {
  const names = Object.keys(takes);
  const properties = Object.fromEntries(
    names.map((each) => [each, { type: 'string', description: takes[each] ?? '' }] as const),
  );
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required: names.filter((each) => !optional.includes(each)) },
    ...(readOnly === undefined ? {} : { annotations: { readOnlyHint: readOnly } }),
  };
}

function toTexts(given: unknown): Readonly<Record<string, string>> {
  if (!isObject(given)) return {};
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)] as const));
}
