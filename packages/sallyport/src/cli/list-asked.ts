import { withApi } from './api.ts';
import { type Input, isSet } from './command.ts';
import { listServers, type ServerLists } from './list-command.ts';
import { TOOLS } from './list-items.ts';
import { liveServers } from './live-servers.ts';
import { withSessions } from './open-session.ts';

/**
 * The tools of a target, or of all servers, server by server. Through the gateway each server is asked at its own endpoint, as
 * the caller: what it may not use is not listed.
 */
export async function listAsked(input: Input, from: string | undefined): Promise<readonly ServerLists[]> {
  const list = (word: string | undefined) => withSessions(input, word, (sessions) => listServers([TOOLS], sessions));
  const isWhole = isSet(input.options, 'gateway') && from === undefined && input.dashed === undefined;
  const live = isWhole ? await withApi(input, liveServers) : undefined;
  if (live === undefined) return list(from);
  const listed: ServerLists[] = [];
  for (const server of live.keys()) listed.push(...(await list(server)));
  return listed;
}
