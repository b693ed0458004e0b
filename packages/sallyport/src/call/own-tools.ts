import type { Asked } from '../catalog/asked.ts';
import type { Page } from '../catalog/contract.ts';
import { CALL_TOOL } from './discovery/call-through.ts';
import { DESCRIBE_TOOL } from './discovery/describe-tool.ts';
import { isSearching } from './discovery/discovery-mode.ts';
import { FIND_TOOLS } from './discovery/find-tools.ts';
import { prepareTools } from './discovery/prepare-tools.ts';
import type { Inbound } from './inbound.ts';
import type { OwnAsking, OwnTool } from './own-tool.ts';
import type { CallPorts } from './ports.ts';
import { READ_ARTIFACT } from './read-artifact.ts';
import { RUN_SCRIPT } from './script/run-script.ts';

/** Every tool of Sallyport itself, one row each. */
export const OWN_TOOLS: readonly OwnTool[] = [FIND_TOOLS, DESCRIBE_TOOL, CALL_TOOL, READ_ARTIFACT, RUN_SCRIPT];

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

const LIST: Asked = { method: 'tools/list', params: {} };

/** What a view has to have for this request. */
export function toAsked(request: Asked, asking: OwnAsking): Asked {
  if (request.method !== 'tools/call') return request;
  const own = ownToolNamed(request.params['name']);
  return own?.readsList === true && own.isOffered(asking) ? LIST : request;
}

/**
 * A page of tools with those of Sallyport itself: in place of the list where tools are found by search, else at its end.
 * @param cursor a client that is at a later page goes on with the list that it began
 */
export function listTools(
  { largeResults }: Pick<CallPorts, 'largeResults'>,
  inbound: Inbound,
  cursor: string | undefined,
): Page {
  const { view, exchange } = inbound;
  const asking = { ...toAsking(inbound), holdsArtifacts: largeResults?.isHolder(exchange.client) };
  const listed = OWN_TOOLS.filter((own) => own.isOffered(asking) && own.isListed(asking, view));
  if (cursor === undefined && isSearching(asking, view))
    return { ...view.pick('tools', NONE, undefined), items: write(listed) };
  const page = view.list('tools', cursor);
  const shown = listed.filter(({ name }) => !SEARCHING.has(name) && view.tool(name) === undefined);
  if (shown.length === 0 || page.nextCursor !== undefined) return page;
  const own = write(shown);
  return { ...page, items: page.items === '[]' ? own : `${page.items.slice(0, -1)},${own.slice(1)}` };
}

const NONE: ReadonlySet<unknown> = new Set();
/** Those that stand in place of the list. */
const SEARCHING: ReadonlySet<string> = new Set([FIND_TOOLS, DESCRIBE_TOOL, CALL_TOOL].map(({ name }) => name));

function write(own: readonly OwnTool[]): string {
  return JSON.stringify(own.map(({ definition }) => definition));
}

export function toAsking({ snapshot, endpoint, exchange }: Inbound): OwnAsking {
  return { snapshot, endpoint, client: exchange.client };
}
