import type { Api, ApiResult } from './api.ts';

export type LiveServer = ApiResult<'showServer'>;

/** How the servers of the running Sallyport are, by name; `undefined`: none is running. */
export async function liveServers(api: Api): Promise<ReadonlyMap<string, LiveServer> | undefined> {
  if (!api.isRunning) return undefined;
  const found = new Map<string, LiveServer>();
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await api.call('listServers', { query: { limit: 1000, cursor } });
    for (const server of items) found.set(server.name, server);
    if (next === undefined) return found;
    cursor = next;
  }
}
