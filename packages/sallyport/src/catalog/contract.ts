import type { Snapshot } from '../config/settings.ts';
import type { Access } from '../core/access.ts';
import type { Tool } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import type { Clock } from '../core/clock.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { ShownDefinitions } from '../core/shown-definitions.ts';
import type { SinkClass } from '../core/sink.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { Asked } from './asked.ts';

export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** The lists whose changes are announced; `resources` stands for its templates too. */
export type AnnouncedList = 'tools' | 'resources' | 'prompts';

/** Where the catalogue is kept between starts: one text, written whole or not at all. The file implementation is in `storage/`. */
export interface CatalogStore {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

export interface CatalogPorts {
  readonly upstreams: UpstreamPort;
  readonly store: CatalogStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Our own version, for the shared endpoint's `serverInfo`. */
  readonly version?: string;
  /** Left out: nobody validates with them. */
  readonly schemas?: ToolSchemas | undefined;
  /** `reports` has more to say although no list changed. Left out: nobody listens. */
  readonly reported?: (() => void) | undefined;
  /** The effects a definition tells of, asked once per definition. Left out: none are told. */
  findSinks?(definition: JsonObject): readonly SinkClass[];
  /** Narrows what a caller sees beyond what the configuration allows. Left out: nothing does. */
  readonly access?: (snapshot: Snapshot) => Access;
}

/** Whether the schemas of tools can be used. */
export interface ToolSchemas {
  /** Finds it out. Never rejects. */
  check(tool: Tool): Promise<void>;
  /** What was found out about tools with this digest: `its inputSchema …` for each schema that is unusable. */
  unusable(digest: string): readonly string[];
}

/** What one upstream offers, and how much of it may not be used. */
export interface Tally {
  /** All tools of its lists, the following ones included. */
  readonly tools: number;
  readonly quarantined: number;
  readonly rejected: number;
  /** Tools that may be used, and that have a schema that validates nothing. */
  readonly unvalidated: number;
  /** Tools that cannot be shown at all. */
  readonly malformed: number;
  /** Definitions of every kind that wait for a person, its program and what it says of itself included. */
  readonly waiting: number;
}

/** A problem of one upstream worth showing; `item` is a list method, `method: name`, or `connection`. */
export interface CatalogReport {
  /** `item`: it is left out. `schema`: it validates nothing. `list`: a whole list could not be fetched; the log has it from who tried. */
  readonly kind: 'item' | 'schema' | 'list';
  readonly upstream: string;
  readonly item: string;
  readonly problem: string;
}

export interface ListChange {
  readonly upstream: string;
  readonly list: AnnouncedList;
  /** The client profile whose list is another one now; `undefined`: that of every client. Others hear once theirs is. */
  readonly profile?: string;
  /** The caller whose own list it is; left out: callers share it. */
  readonly principal?: string;
  /** Its server announced a change, and there is none: only the endpoint of that server repeats it. */
  readonly isSame?: boolean;
}

/** What all upstreams offer, kept, merged and named. It follows the events of its `UpstreamPort` by itself. */
export interface Catalog {
  /**
   * Everything a client of this endpoint may see. Returned at once when the lists are known: stale ones are served and
   * refreshed behind. While some are not known yet, only what the request needs is awaited: a call waits for the server it
   * may be for, at most its `startTimeoutMs`; a list for 2 s, and what comes later is announced; an introduction hardly at
   * all, or 2 s where it is that of one server. What is missing stands in `view.unavailable`, and is tried again behind.
   * @param asked the request that the view is for; left out: every server is awaited for at most its `startTimeoutMs`
   * @throws FaultError `not_found` for an endpoint of a server or bundle that is not there for this caller.
   */
  view(snapshot: Snapshot, endpoint: Endpoint, client: Client, asked?: Asked): View | Promise<View>;
  /** Asks again behind, for every client profile in use. Upstream events do this by themselves. */
  invalidate(upstream: string, list?: AnnouncedList): void;
  /** A reload published this snapshot: what it changes in the merged lists is announced. `view` of a newer snapshot does the same. */
  adopt(snapshot: Snapshot): void;
  /** A list of some endpoint changed: fires when the content did, and says so where a server announced what is no change. */
  onChange(listener: (change: ListChange) => void): () => void;
  /** A client is gone: lists are no longer refreshed over its connections. */
  forget(clientKey: string): void;
  /** `undefined`: it was not met yet. */
  tally(upstream: string): Tally | undefined;
  /** Of the tools of an upstream, as it wrote them, whoever may see them; `undefined`: it has not been asked yet. */
  definitionsOf(upstream: string): readonly JsonObject[] | undefined;
  /** Malformed items, disabled tools, unreachable upstreams. */
  /** Of all upstreams, or of one. */
  reports(upstream?: string): readonly CatalogReport[];
  /** Ends refreshes and writes what is known. Idempotent. */
  close(): Promise<void>;
}

export interface Page {
  /** JSON text (not a binary string: write it as UTF-8) of the items array, each item as its upstream wrote it but for the public name. */
  readonly items: string;
  readonly nextCursor: string | undefined;
  /** Servers whose part of the list is not known: what is there cannot be told from an empty list. */
  readonly missing: readonly string[];
  /** How long the client may take the list for fresh; 0 when an upstream said so or a refresh is under way. */
  readonly ttlMs: number;
  /** `private` as soon as one of the lists in it is, or what is shown depends on who asks. */
  readonly cacheScope: 'public' | 'private';
}

/** One entry of a list of tools. */
export interface ListedTool {
  readonly tool: Tool;
  /** The operator's description in place of the server's; `undefined`: the server's own. */
  readonly description: string | undefined;
}

export interface ResourceOwner {
  readonly upstream: string;
  /** The upstream's own URI. */
  readonly uri: string;
  /** The upstream lists this very URI: whoever sends it there tells it nothing. */
  readonly isListed: boolean;
}

export interface Unavailable {
  readonly upstream: string;
  /** May quote the server. */
  readonly reason: string;
  /** In words of ours: it stands among the instructions. `undefined`: it may be there in a moment, and a session lasts longer. */
  readonly told: string | undefined;
}

/** One endpoint as one kind of client sees it; does not change once made. */
export interface View {
  /** Whether the server of an endpoint of one server has said who it is. Of other endpoints: always. */
  readonly isIntroduced: boolean;
  /** Endpoint of one server: the upstream's own. Shared endpoint: the union of all. */
  readonly capabilities: JsonObject;
  /** Endpoint of one server: the upstream's own. Shared endpoint: `sallyport`; of a bundle: its name. */
  readonly serverInfo: JsonObject;
  /** Shared endpoint: those of all, each under a heading that names its server. Bundle: as the operator wrote them. */
  readonly instructions: string | undefined;
  /** Upstreams of which nothing, or not every list, is known, and why. */
  readonly unavailable: readonly Unavailable[];
  /**
   * What a list shows this caller, decided step by step: a policy may take a third of a millisecond for each item.
   * `undefined`: nothing is left to be decided.
   */
  prepare(kind: ListKind): Generator<undefined, void> | undefined;
  /** @throws FaultError `invalid_params` for a cursor that is not one of ours. */
  list(kind: ListKind, cursor: string | undefined): Page;
  /** `false`: no page of this list begins at the cursor, as far as is known here. */
  hasPage(kind: ListKind, cursor: string): boolean;
  /** Of a list what these ids of the only server name, as far as this caller sees it. */
  pick(kind: ListKind, ids: ReadonlySet<unknown>, nextCursor: string | undefined): Page;
  /** What the lists show this caller, for those who follow where values come from. */
  shown(): ShownDefinitions;
  tool(publicName: string): Tool | undefined;
  /** What the list of tools shows this caller, in its order; the same array each time. Where policies decide, `prepare` first. */
  listedTools(): readonly ListedTool[];
  /** A tool that is there and that this caller may not know of: for the record only, never for an answer. */
  hiddenTool(publicName: string): Tool | undefined;
  /** Endpoint of one server: a tool that the server does not list, where no pin holds the name. Its definition is its name. */
  unlistedTool(name: string): Tool | undefined;
  prompt(publicName: string): { readonly upstream: string; readonly name: string } | undefined;
  /** Endpoint of one server: a prompt that the server does not list, where no pin holds the name. */
  unlistedPrompt(name: string): { readonly upstream: string; readonly name: string } | undefined;
  /** Upstreams that may own the URI, best first, with the upstream's own URI: exact entry, template, same scheme, any with resources. */
  resource(publicUri: string): readonly ResourceOwner[];
  /** Why a prompt or resource that is there may not be used: its definition is quarantined. */
  whyHeld(kind: 'prompts' | 'resources', publicId: string): string | undefined;
  publicUri(upstream: string, uri: string): string;
  publicTaskId(upstream: string, taskId: string): string;
  task(publicTaskId: string): { readonly upstream: string; readonly taskId: string } | undefined;
  /** In file order, without the unavailable ones of the shared endpoint. */
  upstreams(): readonly string[];
  /** Do policies let this caller use anything of the server? Yes, where none decide. */
  reaches(upstream: string): boolean;
  /** `x-mcp-header` parameters of a tool: name after `Mcp-Param-` -> property path in the arguments; `undefined`: none. */
  paramHeaders(tool: Tool): ReadonlyMap<string, readonly string[]> | undefined;
}
