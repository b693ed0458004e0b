import { allPages } from './all-pages.ts';
import type { Api, ApiResult } from './api.ts';

export type LiveServer = ApiResult<'showServer'>;

/** How the servers of the running Sallyport are, by name; `undefined`: none is running. */
export async function liveServers(api: Api): Promise<ReadonlyMap<string, LiveServer> | undefined> {
  if (!api.isRunning) return undefined;
  const servers = await allPages((page) => api.call('listServers', { query: page }));
  return new Map(servers.map((server) => [server.name, server]));
}
