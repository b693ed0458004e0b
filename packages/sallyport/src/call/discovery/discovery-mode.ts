import type { View } from '../../catalog/contract.ts';
import {
  DEFAULT_DISCOVERY,
  type DiscoveryMode,
  type DiscoverySettings,
  discoveryModeFor,
} from '../../config/discovery-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import { estimateTokens } from '../../core/estimate-tokens.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OwnAsking } from '../own-tool.ts';

export function discoveryOf({ discovery = DEFAULT_DISCOVERY }: Pick<Snapshot, 'discovery'>): DiscoverySettings {
  return discovery;
}

/** Whether tools are found by search here. An endpoint of one server, and a path that ends with `/plain`, list as they are. */
export function modeOf({ snapshot, endpoint, client }: OwnAsking): DiscoveryMode {
  if (endpoint.kind === 'server' || endpoint.isPlain === true) return 'off';
  return discoveryModeFor(discoveryOf(snapshot), {
    client: client.info.name,
    bundle: endpoint.kind === 'bundle' ? endpoint.name : undefined,
    principal: client.principal,
  });
}

/** Do find_tools, describe_tool and call_tool stand in place of the list? What the list shows has to be decided already. */
export function isSearching(asking: OwnAsking, view: View): boolean {
  const mode = modeOf(asking);
  if (mode !== 'auto') return mode === 'on';
  const { contextTokens, share } = discoveryOf(asking.snapshot);
  return isLargerThan(view, contextTokens * share);
}

/** By definition, which outlives the views that show it. */
const tokensOf = new WeakMap<JsonObject, number>();

/** Reads no more definitions than it takes to tell. */
function isLargerThan(view: View, most: number): boolean {
  let tokens = 0;
  for (const { tool } of view.listedTools()) {
    let own = tokensOf.get(tool.definition);
    if (own === undefined) {
      own = estimateTokens(tool.definition);
      tokensOf.set(tool.definition, own);
    }
    tokens += own;
    if (tokens > most) return true;
  }
  return false;
}
