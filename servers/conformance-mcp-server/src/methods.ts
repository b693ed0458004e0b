import type { Call } from './call.ts';
import { complete } from './completion.ts';
import { codes, type Fields, RpcError } from './messages.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { callTool } from './tools/call-tool.ts';
import { listTools } from './tools/index.ts';
import type { World } from './world.ts';

export type Method = (call: Call, world: World) => Promise<Fields> | Fields;

/** The methods that both eras share. */
export const sharedMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', (call, world) => toPage('tools', listTools(world, call.era), call, world)],
  ['tools/call', callTool],
  ['resources/list', (call, world) => toPage('resources', listResources(world), call, world)],
  ['resources/templates/list', (call, world) => toPage('resourceTemplates', listTemplates(), call, world)],
  ['resources/read', readResource],
  ['prompts/list', (call, world) => toPage('prompts', listPrompts(world), call, world)],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
]);

export function toMethodNotFound(method: string): RpcError {
  return new RpcError(codes.methodNotFound, `Method not found: ${method}`, { status: 404 });
}

function toPage(member: string, items: readonly Fields[], call: Call, world: World): Fields {
  const from = call.params.cursor === undefined ? 0 : toOffset(call.params.cursor, items.length);
  if (world.pageSize === 0) return { [member]: items.slice(from) };
  const to = from + world.pageSize;
  return { [member]: items.slice(from, to), ...(to < items.length ? { nextCursor: `after:${to}` } : {}) };
}

function toOffset(cursor: unknown, most: number): number {
  const offset = typeof cursor === 'string' ? /^after:(\d{1,6})$/.exec(cursor)?.[1] : undefined;
  if (offset === undefined || Number(offset) > most) throw new RpcError(codes.invalidParams, 'invalid cursor');
  return Number(offset);
}
