import type { Page } from '../catalog/contract.ts';
import { CALL_TOOL } from './discovery/call-through.ts';
import { DESCRIBE_TOOL } from './discovery/describe-tool.ts';
import { isSearching } from './discovery/discovery-mode.ts';
import { FIND_TOOLS } from './discovery/find-tools.ts';
import type { Inbound } from './inbound.ts';
import type { OwnAsking, OwnTool } from './own-tool.ts';
import { prepareTools } from './prepare-tools.ts';

/** Every tool of Sallyport itself, one row each. */
export const OWN_TOOLS: readonly OwnTool[] = [FIND_TOOLS, DESCRIBE_TOOL, CALL_TOOL];

const BY_NAME: ReadonlyMap<string, OwnTool> = new Map(OWN_TOOLS.map((one) => [one.name, one]));

/** The tool of Sallyport that a call of this name may mean. A call of any other name pays one look. */
export function ownToolNamed(name: unknown): OwnTool | undefined {
  return typeof name === 'string' ? BY_NAME.get(name) : undefined;
}

/**
 * Is it this tool that a call means? Where a server's tool of this name is in the caller's list, the call means that one; the
 * tools that stand in place of the list come first.
 */
export async function isMeant(own: OwnTool, inbound: Inbound): Promise<boolean> {
  const { view } = inbound;
  const asking = toAsking(inbound);
  if (!own.isOffered(asking)) return false;
  if (view.tool(own.name) === undefined) return true;
  await prepareTools(view);
  return isSearching(asking, view) && own.isListed(asking, view);
}

/**
 * A page of tools with those of Sallyport itself: in place of it where tools are found by search, else at its end.
 * @param cursor a client that is at a later page goes on with the list that it began
 */
export function withOwnTools(inbound: Inbound, page: Page, cursor: string | undefined): Page {
  const { view } = inbound;
  const asking = toAsking(inbound);
  const listed = OWN_TOOLS.filter((own) => own.isOffered(asking) && own.isListed(asking, view));
  const isSearched = cursor === undefined && isSearching(asking, view);
  const shown = isSearched ? listed : listed.filter(({ name }) => view.tool(name) === undefined);
  if (isSearched) return { ...page, items: write(shown), nextCursor: undefined };
  if (shown.length === 0 || page.nextCursor !== undefined) return page;
  const own = write(shown);
  return { ...page, items: page.items === '[]' ? own : `${page.items.slice(0, -1)},${own.slice(1)}` };
}

function write(own: readonly OwnTool[]): string {
  return JSON.stringify(own.map(({ definition }) => definition));
}

export function toAsking({ snapshot, endpoint, exchange }: Inbound): OwnAsking {
  return { snapshot, endpoint, client: exchange.client };
}
