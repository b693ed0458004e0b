import { toCard } from '../../catalog/cards/to-card.ts';
import { type FindOptions, type FoundTool, findTools } from '../../catalog/search/find-tools.ts';
import type { ToolIndex } from '../../catalog/search/tool-indexes.ts';
import { mayEnter, names } from '../../config/allowed.ts';
import { DEFAULT_SCAN, isTrusted } from '../../config/scan-section.ts';
import { estimateTextTokens } from '../../core/estimate-tokens.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import type { OwnCall, OwnTool } from '../own-tool.ts';
import { discoveryOf, isSearching, modeOf } from './discovery-mode.ts';
import { openIndex } from './open-index.ts';
import { toMistake, toText } from './to-text.ts';

const MAX_QUERIES = 16;
/** Tools for one query; several share what models are known to read well. */
const FOR_ONE = 5;
const FOR_EACH = 3;
const MAX_TOOLS = 15;
const MAX_LIMIT = 50;

export const FIND_TOOLS: OwnTool = {
  name: 'find_tools',
  definition: {
    name: 'find_tools',
    description: 'Finds the tools you can call. One query for each step of the task, in plain words.',
    inputSchema: {
      type: 'object',
      properties: {
        queries: { type: 'array', items: { type: 'string' }, minItems: 1 },
        server: { type: 'string' },
        bundle: { type: 'string' },
        read_only: { type: 'boolean' },
        limit: { type: 'integer' },
      },
      required: ['queries'],
    },
    annotations: { readOnlyHint: true },
  },
  isOffered: (asking) => modeOf(asking) !== 'off',
  isListed: isSearching,
  readsList: true,
  answer,
};

interface Asked {
  readonly queries: readonly string[];
  readonly server?: string;
  readonly bundle?: string;
  readonly read_only?: boolean;
  readonly limit?: number;
}

async function answer({ ports, inbound, body }: OwnCall): Promise<JsonObject> {
  // True: the arguments match the schema above.
  const asked = body as unknown as Asked;
  const { snapshot, view } = inbound;
  const opened = await openIndex(ports, inbound);
  const servers = new Set(view.listedTools().map(({ tool }) => tool.upstream));
  if (asked.server !== undefined && !servers.has(asked.server))
    return toMistake(
      `There is no server ${JSON.stringify(asked.server.slice(0, 64))}. Servers: ${[...servers].join(', ')}.`,
    );
  const isInBundle = toIsInBundle(asked.bundle, inbound);
  if (isInBundle === undefined) return toMistake(`There is no bundle ${JSON.stringify(asked.bundle?.slice(0, 64))}.`);
  const scan = snapshot.scan ?? DEFAULT_SCAN;
  const options: FindOptions = {
    most: toMost(asked),
    trusted: new Set([...servers].filter((server) => isTrusted(scan, server))),
    isAllowed: (face) => opened.listed(face) !== undefined && isInBundle(face),
    ...(asked.server === undefined ? {} : { servers: new Set([asked.server]) }),
    ...(asked.read_only === undefined ? {} : { isReadOnly: asked.read_only }),
  };
  const found = findTools(opened.index, asked.queries.slice(0, MAX_QUERIES), options);
  const cards = writeCards(found, opened, discoveryOf(snapshot).resultTokens);
  const away = view.unavailable.map(({ upstream }) => upstream);
  return toText(away.length === 0 ? cards : `${cards}\nNot reachable now: ${away.join(', ')}.`);
}

function toMost({ queries, limit }: Asked): number {
  if (limit !== undefined) return Math.min(Math.max(1, limit), MAX_LIMIT);
  return queries.length <= 1 ? FOR_ONE : Math.min(MAX_TOOLS, queries.length * FOR_EACH);
}

/** `undefined`: there is no such bundle for this caller. */
function toIsInBundle(
  name: string | undefined,
  inbound: OwnCall['inbound'],
): ((face: ToolFace) => boolean) | undefined {
  if (name === undefined) return () => true;
  const { snapshot, exchange } = inbound;
  const bundle = snapshot.bundles?.get(name);
  if (bundle === undefined || !mayEnter(snapshot, { kind: 'bundle', name }, exchange.client.principal.groups))
    return undefined;
  return ({ server, name: item }) => bundle.tools.some((one) => names(one, { server, item }));
}

/** The best first; those for which there is no room are only named. */
export function writeCards(found: readonly FoundTool[], { listed }: Pick<ToolIndex, 'listed'>, most: number): string {
  if (found.length === 0) return 'No tool fits. Try other words, or leave the filters out.';
  const nameOf = (face: ToolFace) => listed(face)?.tool.publicName ?? [];
  const cards: string[] = [];
  const others: string[] = [];
  let tokens = 0;
  for (const { tool, twins } of found) {
    const entry = listed(tool);
    if (entry === undefined) continue;
    const card = toCard(entry, twins.flatMap(nameOf));
    const cost = estimateTextTokens(card) + 1;
    if (others.length === 0 && (cards.length === 0 || tokens + cost <= most)) {
      cards.push(card);
      tokens += cost;
    } else others.push(entry.tool.publicName);
  }
  if (others.length > 0) cards.push(`Also: ${others.join(', ')}`);
  return cards.join('\n');
}
