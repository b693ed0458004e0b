import { callTool } from '../call/call-tool.ts';
import { complete } from '../call/complete.ts';
import { getPrompt } from '../call/get-prompt.ts';
import type { Inbound } from '../call/inbound.ts';
import { listItems } from '../call/list-items.ts';
import type { CallPorts } from '../call/ports.ts';
import { readResource } from '../call/read-resource.ts';
import { relayTaskRequest, relayUnknown } from '../call/relay-request.ts';
import type { ListKind, Page } from '../catalog/catalog.ts';
import { type Response, TextResult } from '../core/response.ts';

/** How long and for whom an answer stays true; only modern clients are told (2026-07-28 caching). */
export interface Caching {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export interface Dispatched {
  readonly response: Response;
  readonly caching: Caching | undefined;
}

type Handler = (ports: CallPorts, inbound: Inbound) => Dispatched | Promise<Dispatched>;

const NOT_CACHED: Caching = Object.freeze({ ttlMs: 0, cacheScope: 'private' });

/** Methods both eras share, each the whole life of one request in `call/`. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['tools/call', plain(callTool)],
  ['tools/list', list('tools', 'tools')],
  ['resources/list', list('resources', 'resources')],
  ['resources/templates/list', list('resourceTemplates', 'resourceTemplates')],
  ['resources/read', async (ports, inbound) => ({ response: await readResource(ports, inbound), caching: NOT_CACHED })],
  ['prompts/list', list('prompts', 'prompts')],
  ['prompts/get', plain(getPrompt)],
  ['completion/complete', plain(complete)],
  ['tasks/get', plain(relayTaskRequest)],
  ['tasks/update', plain(relayTaskRequest)],
  ['tasks/cancel', plain(relayTaskRequest)],
  ['tasks/result', plain(relayTaskRequest)],
]);

/** Unknown methods go to the upstream on an endpoint that has just one. */
export function dispatch(ports: CallPorts, inbound: Inbound): Dispatched | Promise<Dispatched> {
  return (HANDLERS.get(inbound.request.method) ?? plain(relayUnknown))(ports, inbound);
}

function plain(handler: (ports: CallPorts, inbound: Inbound) => Promise<Response>): Handler {
  return async (ports, inbound) => ({ response: await handler(ports, inbound), caching: undefined });
}

function list(kind: ListKind, key: string): Handler {
  return (_ports, inbound) => {
    const page = listItems(inbound, kind);
    return { response: toListResult(key, page), caching: { ttlMs: page.ttlMs, cacheScope: page.cacheScope } };
  };
}

export function toListResult(key: string, page: Pick<Page, 'items' | 'nextCursor'>): TextResult {
  const next = page.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(page.nextCursor)}`;
  return new TextResult(`"${key}":${page.items}${next}`);
}
