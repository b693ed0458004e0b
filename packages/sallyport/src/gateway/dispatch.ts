import { callAnyTool } from '../call/call-any-tool.ts';
import { complete } from '../call/complete.ts';
import { getPrompt } from '../call/get-prompt.ts';
import type { Inbound } from '../call/inbound.ts';
import { type Listed, listItems } from '../call/list-items.ts';
import type { CallPorts } from '../call/ports.ts';
import { readResource } from '../call/read-resource.ts';
import { relayTaskRequest, relayUnknown } from '../call/relay-request.ts';
import type { ListKind, Page } from '../catalog/contract.ts';
import { Answer } from '../core/message.ts';
import { type Response, TextResult } from '../core/response.ts';

type Handler = (ports: CallPorts, inbound: Inbound) => Response | Promise<Response>;

/** Methods both eras share, each the whole life of one request in `call/`. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['tools/call', callAnyTool],
  ['tools/list', list('tools', 'tools')],
  ['resources/list', list('resources', 'resources')],
  ['resources/templates/list', list('resourceTemplates', 'resourceTemplates')],
  ['resources/read', readResource],
  ['prompts/list', list('prompts', 'prompts')],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
  ['tasks/get', relayTaskRequest],
  ['tasks/update', relayTaskRequest],
  ['tasks/cancel', relayTaskRequest],
  ['tasks/result', relayTaskRequest],
]);

/** Unknown methods go to the upstream on an endpoint that has just one. */
export function dispatch(ports: CallPorts, inbound: Inbound): Response | Promise<Response> {
  const { method } = inbound.request;
  const handler = HANDLERS.get(method) ?? relayUnknown;
  // A call counts itself: it knows its tool and how it ended.
  if (ports.metrics === undefined || handler === callAnyTool) return handler(ports, inbound);
  return timed(handler, ports, inbound);
}

async function timed(handler: Handler, ports: CallPorts, inbound: Inbound): Promise<Response> {
  const startedAt = performance.now();
  let ok = false;
  try {
    const response = await handler(ports, inbound);
    ok = response.errorCode === undefined;
    return response;
  } finally {
    ports.metrics?.answered(inbound.request.method, performance.now() - startedAt, ok);
  }
}

function list(kind: ListKind, key: string): Handler {
  return (ports, inbound) => {
    const page = listItems(ports, inbound, kind);
    return page instanceof Promise ? page.then((ready) => toListResponse(key, ready)) : toListResponse(key, page);
  };
}

/** Servers whose part of the list is not known: they are being asked, and a change of the list is announced. */
const MISSING = 'dev.sallyport/missing';

function toListResponse(key: string, listed: Listed): Response {
  return listed instanceof Answer ? listed : toListResult(key, listed);
}

export function toListResult(key: string, { items, nextCursor, missing, ttlMs, cacheScope }: Page): TextResult {
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const gaps = missing.length === 0 ? '' : `,"_meta":${JSON.stringify({ [MISSING]: missing })}`;
  return new TextResult(`"${key}":${items}${next}${gaps}`, { ttlMs, cacheScope });
}
