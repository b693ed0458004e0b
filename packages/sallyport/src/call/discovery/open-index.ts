import type { ToolIndex } from '../../catalog/search/tool-indexes.ts';
import type { Inbound } from '../inbound.ts';
import type { CallPorts } from '../ports.ts';
import { prepareTools } from './prepare-tools.ts';

/** The index of what the list of this caller shows. */
export async function openIndex(ports: Pick<CallPorts, 'toolIndexes'>, inbound: Inbound): Promise<ToolIndex> {
  const { view, endpoint, exchange } = inbound;
  await prepareTools(view);
  const { principal, profile } = exchange.client;
  const door = endpoint.kind === 'all' ? '' : `${endpoint.kind}/${endpoint.name}`;
  return ports.toolIndexes.find(JSON.stringify([door, principal.id, profile]), view.listedTools());
}
