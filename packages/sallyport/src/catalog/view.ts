import { isPerPrincipal } from '../config/upstream-auth.ts';
import type { Tool } from '../core/call.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { ListedTool, ListKind, Page, View } from './contract.ts';
import { fromCursor, type Position, readCursor, toCursor, toItemKey } from './cursor.ts';
import { whyEntryHeld, whyUriHeld } from './held.ts';
import { type Item, writeShown } from './items.ts';
import { mergeCapabilities } from './merge.ts';
import { assignNames } from './names.ts';
import { findOwners } from './owners.ts';
import { isWaiting } from './pins/server-pins.ts';
import { renameTools } from './rename-tools.ts';
import { findServerPage } from './server-pages.ts';
import { toShownDefinitions } from './shown-definitions.ts';
import { unlistedOf } from './unlisted.ts';
import { qualifyNames } from './uris.ts';
import { toInstructions, toServerInfo } from './view-identity.ts';
import type { Entry, ViewContent, ViewPart } from './view-part.ts';
import { describeWaiting } from './waiting-tools.ts';

/** Makes the view of one endpoint out of the lists known now. What a request may not need is made when first asked for. */
export function createView(content: ViewContent): View {
  const { snapshot, endpoint, sight, parts, unavailable } = content;
  const shared = endpoint.kind !== 'server';
  const qualified = qualifyNames([...snapshot.servers.keys()]);
  const seen = new WeakMap<Item, boolean>();
  const sees = (part: ViewPart, kind: ListKind, item: Item): boolean => {
    const known = seen.get(item) ?? sight.sees(part.server, kind, item.id);
    seen.set(item, known);
    return known;
  };
  const prepared = new Set<ListKind>();
  const entries = once((kind: ListKind) => collectEntries(content, kind, { sees, toPublicUri: qualified.toPublicUri }));
  // A tool that may not be called is not listed, but known: whoever calls it is told why.
  const shown = once((kind: ListKind) =>
    entries(kind).filter((entry) => isOpen(entry, kind) && (kind !== 'tools' || isUsable(entry))),
  );
  const definitions = once(() => toShownDefinitions(parts, shown));
  const tools = once(() => collectTools(content, entries('tools')));
  const findTool = (publicName: string) => {
    const found = tools(undefined).get(publicName);
    return found !== undefined && sight.mayUse(found.tool) ? found : undefined;
  };
  const listed = once(() => toListed(shown('tools'), findTool));
  const isUsable = ({ item, publicId }: Entry) => findTool(publicId ?? item.id) !== undefined;
  const whyOwnedHeld = ({ upstream, uri }: { upstream: string; uri: string }) => {
    const part = parts.find(({ server }) => server.name === upstream);
    return part === undefined ? undefined : whyUriHeld(part, uri);
  };
  const seesUri = ({ upstream, uri }: { upstream: string; uri: string }) => mayRead(content, upstream, uri);
  const prompts = once(() => new Map(entries('prompts').map((entry) => [entry.publicId ?? entry.item.id, entry])));
  const owners = once(() => findOwners(parts));
  const keys = once(
    (kind: ListKind) => new Map(shown(kind).map(({ part, item }, i) => [toItemKey(part.server.name, item.id), i])),
  );
  const single = shared ? undefined : endpoint.name;
  const ownersOf = (publicUri: string) => {
    if (single !== undefined) return [{ upstream: single, uri: publicUri }].filter(seesUri);
    const named = qualified.fromPublicUri(publicUri);
    if (named === undefined) return owners(undefined).candidates(publicUri).filter(seesUri);
    // What looks qualified may be another server's own URI: `git+https:` beside a server called git.
    const exact = owners(undefined).exact(publicUri);
    const others = exact.filter((owner) => owner.upstream !== named.server);
    return [{ upstream: named.server, uri: named.uri }, ...others].filter(seesUri);
  };
  function* look(kind: ListKind): Generator<undefined, void> {
    for (const part of parts)
      for (const item of part.lists.get(kind)?.items ?? []) {
        sees(part, kind, item);
        yield;
      }
    if (kind === 'tools')
      for (const entry of entries(kind)) {
        isUsable(entry);
        yield;
      }
    prepared.add(kind);
  }
  const told = once(() => ({ text: toInstructions(content, waitingOf(entries('tools'), isUsable)) }));
  return Object.freeze({
    ...introduce(content),
    ...unlistedOf(content),
    get instructions() {
      return told(undefined).text;
    },
    unavailable,
    prepare: (kind: ListKind) => (prepared.has(kind) ? undefined : look(kind)),
    list: (kind: ListKind, cursor: string | undefined) =>
      cutPage(content, kind, { cursor, all: shown(kind), keys: () => keys(kind) }),
    hasPage: (kind: ListKind, cursor: string) =>
      findServerPage(content, kind, cursor) !== undefined || readCursor(kind, cursor) !== undefined,
    pick: (kind: ListKind, ids: ReadonlySet<unknown>, nextCursor: string | undefined) =>
      toPage(content, kind, { shown: shown(kind).filter(({ item }) => ids.has(item.id)), nextCursor }),
    shown: () => definitions(undefined),
    tool: (publicName: string) => findTool(publicName)?.tool,
    listedTools: () => listed(undefined),
    hiddenTool: (publicName: string) =>
      findTool(publicName) === undefined ? tools(undefined).get(publicName)?.tool : undefined,
    prompt(publicName: string) {
      const found = prompts(undefined).get(publicName);
      if (found === undefined || whyEntryHeld(found, 'prompts') !== undefined) return undefined;
      return { upstream: found.part.server.name, name: found.item.id };
    },
    resource: (publicUri: string) =>
      ownersOf(publicUri)
        .filter((owner) => whyOwnedHeld(owner) === undefined)
        .map((owner) => ({ ...owner, isListed: owners(undefined).lists(owner) })),
    whyHeld(kind: 'prompts' | 'resources', publicId: string) {
      if (kind === 'resources')
        return ownersOf(publicId)
          .map(whyOwnedHeld)
          .find((why) => why !== undefined);
      const found = prompts(undefined).get(publicId);
      return found === undefined ? undefined : whyEntryHeld(found, kind);
    },
    publicUri: (upstream: string, uri: string) => (shared ? qualified.toPublicUri(upstream, uri) : uri),
    publicTaskId: (upstream: string, id: string) => (shared ? qualified.toPublicTaskId(upstream, id) : id),
    task(publicTaskId: string) {
      if (single !== undefined) return { upstream: single, taskId: publicTaskId };
      const found = qualified.fromPublicTaskId(publicTaskId);
      const server = found === undefined ? undefined : snapshot.servers.get(found.server);
      if (found === undefined || server === undefined || !sight.reaches(server)) return undefined;
      return { upstream: found.server, taskId: found.taskId };
    },
    upstreams: () => (single === undefined ? parts.map((part) => part.server.name) : [single]),
    reaches: once((upstream: string) => {
      const part = parts.find(({ server }) => server.name === upstream);
      if (!sight.isDecided) return true;
      if (part === undefined) return false;
      const seesOne = (kind: ListKind) => part.lists.get(kind)?.items.some((item) => sees(part, kind, item)) === true;
      return OFFERED.some(seesOne) || entries('tools').some((entry) => entry.part === part && isUsable(entry));
    }),
    paramHeaders: (tool: Tool) => tools(undefined).get(tool.publicName)?.item.paramHeaders,
  });
}

function isOpen(entry: Entry, kind: ListKind): boolean {
  return !isSetAside(entry, kind) && whyEntryHeld(entry, kind) === undefined;
}

function toListed(
  entries: readonly Entry[],
  find: (publicName: string) => { readonly tool: Tool } | undefined,
): readonly ListedTool[] {
  return entries.flatMap(({ item, publicId, description }) => {
    const found = find(publicId ?? item.id);
    return found === undefined ? [] : [{ tool: found.tool, description }];
  });
}

const OFFERED = ['resources', 'resourceTemplates', 'prompts'] as const;

interface Cutting {
  readonly cursor: string | undefined;
  readonly all: readonly Entry[];
  keys(): ReadonlyMap<string, number>;
}

function cutPage(content: ViewContent, kind: ListKind, { cursor, all, keys }: Cutting): Page {
  const page = findServerPage(content, kind, cursor);
  if (page !== undefined)
    return toPage(content, kind, { ...page, shown: all.filter(({ item }) => page.items.has(item)) });
  const start = cursor === undefined ? 0 : toIndex(fromCursor(kind, cursor), keys());
  const end = start + content.snapshot.gateway.pageSize;
  const nextCursor = end < all.length ? cursorAfter(kind, all, end) : undefined;
  return toPage(content, kind, { shown: all.slice(start, end), nextCursor });
}

function toPage(
  content: ViewContent,
  kind: ListKind,
  { shown, nextCursor }: { readonly shown: readonly Entry[]; readonly nextCursor: string | undefined },
): Page {
  const texts = shown.map(({ item, publicId, description }) => writeShown(item, publicId, description));
  const missing = missingOf(content, kind);
  return { items: `[${texts.join(',')}]`, nextCursor, missing, ...freshness(content, kind) };
}

function introduce(content: ViewContent): Pick<View, 'isIntroduced' | 'capabilities' | 'serverInfo'> {
  const isShared = content.endpoint.kind !== 'server';
  const identity = content.parts[0]?.identity;
  return {
    isIntroduced: isShared || identity !== undefined,
    capabilities: isShared || identity === undefined ? sharedCapabilities(content) : identity.capabilities,
    serverInfo: toServerInfo(content),
  };
}

/** Servers whose part of this list is not known. */
function missingOf({ parts, unavailable }: ViewContent, kind: ListKind): readonly string[] {
  const known = new Set(parts.filter(({ lists }) => lists.has(kind)).map(({ server }) => server.name));
  return unavailable.map(({ upstream }) => upstream).filter((upstream) => !known.has(upstream));
}

function mayRead({ snapshot, sight }: ViewContent, upstream: string, uri: string): boolean {
  const server = snapshot.servers.get(upstream);
  return server !== undefined && sight.reaches(server) && sight.sees(server, 'resources', uri);
}

function waitingOf(tools: readonly Entry[], mayUse: (entry: Entry) => boolean): readonly string[] {
  return describeWaiting(tools, {
    isQuarantined: ({ part, item }) => isWaiting(part.pins?.stateOf('tools', item)),
    isDisabled: (entry) => isSetAside(entry, 'tools'),
    mayUse,
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

interface Seeing {
  sees(part: ViewPart, kind: ListKind, item: Item): boolean;
  toPublicUri(server: string, uri: string): string;
}

function collectEntries(content: ViewContent, kind: ListKind, { sees, toPublicUri }: Seeing): readonly Entry[] {
  const { parts, endpoint, sight } = content;
  // A malformed tool is not listed, but known: whoever calls it is told why.
  const items = (part: ViewPart) => [
    ...(part.lists.get(kind)?.items ?? []),
    ...(kind === 'tools' ? malformedTools(part) : []),
  ];
  const publicId = endpoint.kind === 'server' ? () => undefined : publicIds();
  const entries = parts.flatMap((part) =>
    items(part)
      .filter((item) => !isHidden(part, kind, item) && sees(part, kind, item))
      .map((item) => ({ part, item, publicId: publicId(part, item) })),
  );
  return kind === 'tools' && sight.bundle !== undefined ? renameTools(entries, sight.bundle) : entries;

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

function isSetAside({ part, item, clash }: Entry, kind: ListKind): boolean {
  return clash !== undefined || whySetAside(part, kind, item) !== undefined;
}

function whySetAside({ lists }: ViewPart, kind: ListKind, item: Item): string | undefined {
  const list = lists.get(kind);
  return item.head === '' ? list?.malformed.get(item.id) : undefined;
}

/** Names without a definition. */
function malformedTools({ lists }: ViewPart): readonly Item[] {
  return [...(lists.get('tools')?.malformed.keys() ?? [])]
    .filter((name) => name !== '')
    .map((id) => ({ id, head: '', literal: '', tail: '', digest: '', definition: {}, paramHeaders: undefined }));
}

const NO_HINTS: JsonObject = Object.freeze({});

function collectTools(
  { snapshot, sinksOf }: ViewContent,
  entries: readonly Entry[],
): ReadonlyMap<string, { tool: Tool; item: Item }> {
  return new Map(
    entries.map(({ part, item, publicId, clash }) => {
      const { definition = {} } = item;
      const publicName = publicId ?? item.id;
      const tool: Tool = {
        upstream: part.server.name,
        name: item.id,
        publicName,
        definition,
        digest: item.digest,
        setAside: clash ?? whySetAside(part, 'tools', item),
        approvedHints: part.pins?.approvedHints(item) ?? NO_HINTS,
        sinks: sinksOf(snapshot, { upstream: part.server.name, name: item.id, definition }),
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

function freshness(
  { parts, sight, clock, unavailable }: ViewContent,
  kind: ListKind,
): Pick<Page, 'ttlMs' | 'cacheScope'> {
  const now = clock.now();
  let ttlMs = unavailable.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  let cacheScope: Page['cacheScope'] = sight.isOwn ? 'private' : 'public';
  for (const part of parts) {
    const list = part.lists.get(kind);
    // What was shown to one caller's credential, whatever the upstream says about it.
    if (isPerPrincipal(part.server.auth)) cacheScope = 'private';
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
 * Of the shared endpoint, and of a server that was not reached yet. The shared endpoint notices changes whether or not an upstream announces them, and a server that is not there yet, or
 * is added by a reload, may bring lists that a legacy client would never ask for unless they are declared at the start.
 */
function sharedCapabilities({ parts }: ViewContent): JsonObject {
  const merged = mergeCapabilities(parts.map((part) => part.identity.capabilities));
  const announce = (name: string): JsonObject => {
    const declared = member(merged, name);
    return { [name]: { ...(isObject(declared) ? declared : {}), listChanged: true } };
  };
  return { ...merged, ...announce('tools'), ...announce('resources'), ...announce('prompts') };
}
