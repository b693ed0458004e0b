import type { Snapshot } from '../config/settings.ts';
import type { Tool } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Endpoint, ListKind, Page, View } from './contract.ts';
import { fromCursor, type Position, toCursor, toItemKey } from './cursor.ts';
import { type Item, writeItem } from './items.ts';
import { joinInstructions, mergeCapabilities } from './merge.ts';
import { assignNames } from './names.ts';
import { findOwners } from './owners.ts';
import { qualifyNames } from './uris.ts';
import type { ViewPart } from './view-part.ts';

export interface ViewContent {
  readonly snapshot: Snapshot;
  readonly endpoint: Endpoint;
  /** In file order. */
  readonly parts: readonly ViewPart[];
  readonly unavailable: View['unavailable'];
  readonly version: string;
  readonly clock: Clock;
}

/** One item of a merged list. */
interface Entry {
  readonly part: ViewPart;
  readonly item: Item;
  /** `undefined`: its own name. */
  readonly publicId: string | undefined;
}

/** Makes the view of one endpoint out of the lists known now. What a request may not need is made when first asked for. */
export function createView(content: ViewContent): View {
  const { snapshot, endpoint, parts, unavailable } = content;
  const shared = endpoint.kind === 'all';
  const qualified = qualifyNames([...snapshot.servers.keys()]);
  const entries = once((kind: ListKind) => collectEntries(content, kind, qualified.toPublicUri));
  // A tool that may not be called is not listed, but known: whoever calls it is told why.
  const shown = once((kind: ListKind) => entries(kind).filter((entry) => !isSetAside(entry, kind)));
  const tools = once(() => collectTools(entries('tools')));
  const prompts = once(
    () => new Map(entries('prompts').map(({ part, item, publicId }) => [publicId ?? item.id, { part, item }])),
  );
  const owners = once(() => findOwners(parts));
  const keys = once(
    (kind: ListKind) => new Map(shown(kind).map(({ part, item }, i) => [toItemKey(part.server.name, item.id), i])),
  );
  const single = shared ? undefined : endpoint.name;
  const identity = parts[0]?.identity;
  return Object.freeze({
    capabilities: shared ? sharedCapabilities(content) : (identity?.capabilities ?? {}),
    serverInfo: shared
      ? { name: 'sallyport', version: content.version }
      : (identity?.serverInfo ?? { name: endpoint.name, version: '' }),
    instructions: shared
      ? joinInstructions(parts.map((part) => ({ server: part.server.name, instructions: part.identity.instructions })))
      : identity?.instructions,
    unavailable,
    list(kind: ListKind, cursor: string | undefined): Page {
      const all = shown(kind);
      const start = cursor === undefined ? 0 : toIndex(fromCursor(kind, cursor), keys(kind));
      const end = start + snapshot.gateway.pageSize;
      const texts = all.slice(start, end).map(({ item, publicId }) => writeItem(item, publicId));
      return {
        items: `[${texts.join(',')}]`,
        nextCursor: end < all.length ? cursorAfter(kind, all, end) : undefined,
        ...freshness(content, kind),
      };
    },
    tool: (publicName: string) => tools(undefined).get(publicName)?.tool,
    prompt(publicName: string) {
      const found = prompts(undefined).get(publicName);
      return found === undefined ? undefined : { upstream: found.part.server.name, name: found.item.id };
    },
    resource(publicUri: string) {
      if (single !== undefined) return [{ upstream: single, uri: publicUri }];
      const named = qualified.fromPublicUri(publicUri);
      if (named === undefined) return owners(undefined).candidates(publicUri);
      // What looks qualified may be another server's own URI: `git+https:` beside a server called git.
      const exact = owners(undefined).exact(publicUri);
      return [{ upstream: named.server, uri: named.uri }, ...exact.filter((owner) => owner.upstream !== named.server)];
    },
    publicUri: (upstream: string, uri: string) => (shared ? qualified.toPublicUri(upstream, uri) : uri),
    publicTaskId: (upstream: string, id: string) => (shared ? qualified.toPublicTaskId(upstream, id) : id),
    task(publicTaskId: string) {
      if (single !== undefined) return { upstream: single, taskId: publicTaskId };
      const found = qualified.fromPublicTaskId(publicTaskId);
      return found === undefined ? undefined : { upstream: found.server, taskId: found.taskId };
    },
    upstreams: () => (single === undefined ? parts.map((part) => part.server.name) : [single]),
    paramHeaders: (tool: Tool) => tools(undefined).get(tool.publicName)?.item.paramHeaders,
  });
}

/** Remembers what `make` gave for each argument. */
function once<A, R>(make: (argument: A) => R): (argument: A) => R {
  const made = new Map<A, R>();
  return (argument) => {
    let result = made.get(argument);
    if (result === undefined) {
      result = make(argument);
      made.set(argument, result);
    }
    return result;
  };
}

function collectEntries(
  content: ViewContent,
  kind: ListKind,
  toPublicUri: (server: string, uri: string) => string,
): readonly Entry[] {
  const { parts, endpoint } = content;
  const items = (part: ViewPart) => part.lists.get(kind)?.items ?? [];
  const publicId = endpoint.kind === 'all' ? publicIds() : () => undefined;
  return parts.flatMap((part) =>
    items(part)
      .filter((item) => !isHidden(part, kind, item))
      .map((item) => ({ part, item, publicId: publicId(part, item) })),
  );

  function publicIds(): (part: ViewPart, item: Item) => string | undefined {
    if (kind === 'resources' || kind === 'resourceTemplates')
      return (part, item) => toPublicUri(part.server.name, item.id);
    // Hidden items keep their names: switching one off must not hand its name to another server's tool.
    const names = assignNames(
      parts.map((part) => ({
        server: part.server.name,
        prefix: part.prefix,
        names: items(part).map((item) => item.id),
      })),
    );
    return (part, item) => names.toPublic.get(part.server.name)?.get(item.id);
  }
}

/** Switched off by the operator: neither listed nor callable. */
function isHidden(part: ViewPart, kind: ListKind, item: Item): boolean {
  return kind === 'tools' && part.server.disabledTools.includes(item.id);
}

function isSetAside({ part, item }: Entry, kind: ListKind): boolean {
  return part.lists.get(kind)?.setAside.has(item.id) === true;
}

function collectTools(entries: readonly Entry[]): ReadonlyMap<string, { tool: Tool; item: Item }> {
  return new Map(
    entries.map(({ part, item, publicId }) => {
      const publicName = publicId ?? item.id;
      const tool: Tool = {
        upstream: part.server.name,
        name: item.id,
        publicName,
        definition: item.definition ?? {},
        digest: item.digest,
        setAside: part.lists.get('tools')?.setAside.get(item.id),
      };
      return [publicName, { tool, item }];
    }),
  );
}

function cursorAfter(kind: ListKind, all: readonly Entry[], end: number): string | undefined {
  const [last, next] = [all[end - 1], all[end]];
  if (last === undefined || next === undefined) return undefined;
  const key = ({ part, item }: Entry) => toItemKey(part.server.name, item.id);
  return toCursor(kind, { last: key(last), next: key(next), index: end });
}

function toIndex(position: Position, keys: ReadonlyMap<string, number>): number {
  const last = keys.get(position.last);
  return last === undefined ? (keys.get(position.next) ?? position.index) : last + 1;
}

function freshness({ parts, clock, unavailable }: ViewContent, kind: ListKind): Pick<Page, 'ttlMs' | 'cacheScope'> {
  const now = clock.now();
  let ttlMs = unavailable.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  let cacheScope: Page['cacheScope'] = 'public';
  for (const part of parts) {
    const list = part.lists.get(kind);
    // Nothing known of a list: it may come at any moment.
    if (list === undefined) ttlMs = 0;
    else {
      ttlMs = Math.max(0, Math.min(ttlMs, list.state.freshUntil - now, list.state.ttlMs ?? Number.POSITIVE_INFINITY));
      if (list.isPrivate) cacheScope = 'private';
    }
  }
  return { ttlMs: Number.isFinite(ttlMs) ? Math.floor(ttlMs) : 0, cacheScope };
}

/**
 * The shared endpoint notices changes whether or not an upstream announces them, and a server that is not there yet
 * may bring lists that a legacy client would never ask for unless they are declared at the start.
 */
function sharedCapabilities({ parts, unavailable }: ViewContent): JsonObject {
  const merged = mergeCapabilities(parts.map((part) => part.identity.capabilities));
  const announce = (name: string): JsonObject => {
    const declared = member(merged, name);
    return { [name]: { ...(isObject(declared) ? declared : {}), listChanged: true } };
  };
  const has = (name: string) => unavailable.length > 0 || member(merged, name) !== undefined;
  return {
    ...merged,
    ...announce('tools'),
    ...(has('resources') ? announce('resources') : {}),
    ...(has('prompts') ? announce('prompts') : {}),
  };
}
