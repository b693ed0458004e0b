import type { ListKind } from './contract.ts';
import type { Item } from './items.ts';
import type { ViewContent } from './view-part.ts';

/** A page of a list as its server cut it. */
export interface ServerPage {
  readonly items: ReadonlySet<Item>;
  readonly nextCursor: string | undefined;
}

/**
 * The page that begins at this cursor, on the endpoint of one server: a client sees the pages and cursors of that server.
 * `undefined`: the server gave its list in one piece, or began no page there when it was asked.
 */
export function findServerPage(
  { endpoint, parts }: ViewContent,
  kind: ListKind,
  cursor: string | undefined,
): ServerPage | undefined {
  const list = endpoint.kind === 'server' ? parts[0]?.lists.get(kind) : undefined;
  const pages = list?.state.pages ?? [];
  const index = cursor === undefined ? 0 : pages.findIndex((page) => page.cursor === cursor) + 1;
  if (list === undefined || pages.length === 0 || (cursor !== undefined && index === 0)) return undefined;
  const next = pages[index];
  return { items: new Set(list.items.slice(pages[index - 1]?.at ?? 0, next?.at)), nextCursor: next?.cursor };
}
