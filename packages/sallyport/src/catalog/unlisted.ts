import { foldName } from '../core/fold-name.ts';
import type { JsonObject } from '../core/json.ts';
import type { View } from './contract.ts';
import type { KnownList } from './known-list.ts';
import type { ViewContent } from './view-part.ts';

const NO_HINTS: JsonObject = Object.freeze({});

/** What the server of an endpoint of one server may be asked for although its lists lack it. */
export function unlistedOf(content: ViewContent): Pick<View, 'unlistedTool' | 'unlistedPrompt'> {
  const { snapshot, sinksOf } = content;
  return {
    unlistedTool(name) {
      const upstream = findOwner(content, 'tools', name);
      if (upstream === undefined) return undefined;
      const definition = { name };
      return {
        ...{ upstream, name, publicName: name, definition, digest: '', setAside: undefined, isUnlisted: true },
        ...{ approvedHints: NO_HINTS, sinks: sinksOf(snapshot, { upstream, name, definition }) },
      };
    },
    unlistedPrompt(name) {
      const upstream = findOwner(content, 'prompts', name);
      return upstream === undefined ? undefined : { upstream, name };
    },
  };
}

/**
 * A name as generously as any server may compare names. What a rule says of a tool must not be escaped by writing the name
 * in another way.
 */
function toBare(name: string): string {
  return foldName(name).replace(/[-_./ ]/g, '');
}

const bareNames = new WeakMap<KnownList, ReadonlySet<string>>();

function namesOf(list: KnownList): ReadonlySet<string> {
  let names = bareNames.get(list);
  if (names === undefined) {
    names = new Set([...list.items.map(({ id }) => id), ...list.malformed.keys()].map(toBare));
    bareNames.set(list, names);
  }
  return names;
}

/** A list that is not known may have the name, and the operator may have switched it off. */
function findOwner(
  { endpoint, parts, sight }: ViewContent,
  kind: 'tools' | 'prompts',
  name: string,
): string | undefined {
  const [part] = endpoint.kind === 'server' ? parts : [];
  const list = part?.lists.get(kind);
  if (part === undefined || list === undefined) return undefined;
  const bare = toBare(name);
  if (namesOf(list).has(bare)) return undefined;
  if (kind === 'tools' && part.server.disabledTools.some((one) => toBare(one) === bare)) return undefined;
  if (!sight.sees(part.server, kind, name)) return undefined;
  return part.pins?.whyUnlistedHeld(kind, name) === undefined ? part.server.name : undefined;
}
