import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { KitServer } from './server.ts';
import { withTaskStreams } from './tasks/task-streams.ts';

/** Serves requests of 2026-07-28 over HTTP; those of older revisions are refused. */
export function createModernHandler(kit: KitServer, maxRequestBodySize?: number): McpHttpHandler {
  const handler = createMcpHandler(() => kit.create(), {
    legacy: 'reject',
    ...(maxRequestBodySize === undefined ? {} : { maxRequestBodySize }),
  });
  return kit.tasks === undefined ? handler : withTaskStreams(handler, kit.tasks);
}
