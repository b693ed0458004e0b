import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { Item } from '../items.ts';
import type { Peer } from './inspection.ts';

/** Definitions are read beside this many tools at most; the largest real catalogues have some thousands. */
const MAX_PEERS = 20_000;

/** Parsed when somebody asks. */
interface Kept {
  readonly text: string;
  definition: JsonObject | undefined;
}

/** One face for one parsed definition: whoever indexes faces knows them again. */
const faces = new WeakMap<JsonObject, { readonly approved: Peer; readonly offered: Peer }>();

/** The approved tools of all servers. */
export class Peers {
  readonly #isServer: (server: string) => boolean;
  /** Server -> name at its server -> definition. */
  readonly #tools = new Map<string, Map<string, Kept>>();

  /** @param isServer whether there is a server of this name: pins outlive their server */
  constructor(isServer: (server: string) => boolean) {
    this.#isServer = isServer;
  }

  /** @param text the approved definition; `undefined`: none is. Says whether it is another one now. */
  set(server: string, name: string, text: string | undefined): boolean {
    const tools = this.#tools.get(server) ?? new Map<string, Kept>();
    this.#tools.set(server, tools);
    if (text === undefined) return tools.delete(name);
    const known = tools.get(name);
    if (known?.text === text) return false;
    tools.set(name, { text, definition: undefined });
    return true;
  }

  /** What a definition of this server is read beside: its own tools as it offers them now, then the approved ones of others. */
  beside(server: string, offered: readonly Item[]): readonly Peer[] {
    const own = offered.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
    return this.besideTools(server, toPeers(server, own));
  }

  /** The same for tools of its own that are known already. */
  besideTools(server: string, own: readonly Peer[]): readonly Peer[] {
    const peers = [...own];
    for (const [owner, tools] of this.#tools) {
      if (owner === server || !this.#isServer(owner)) continue;
      for (const kept of tools.values()) {
        if (peers.length >= MAX_PEERS) return peers;
        kept.definition ??= parse(kept.text);
        peers.push(faceOf(owner, kept.definition).approved);
      }
    }
    return peers;
  }
}

/** Tools of one server as it offers them. */
export function toPeers(server: string, definitions: readonly JsonObject[]): Peer[] {
  return definitions.slice(0, MAX_PEERS).map((definition) => faceOf(server, definition).offered);
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

function faceOf(server: string, definition: JsonObject) {
  const known = faces.get(definition);
  if (known?.approved.server === server) return known;
  const text = (name: string) => {
    const value = member(definition, name);
    return typeof value === 'string' ? value : '';
  };
  const properties = member(member(definition, 'inputSchema'), 'properties');
  const face = {
    server,
    name: text('name'),
    title: text('title'),
    description: text('description'),
    parameters: isObject(properties) ? Object.keys(properties) : [],
    definition,
  };
  const both = { approved: { ...face, isApproved: true }, offered: { ...face, isApproved: false } };
  faces.set(definition, both);
  return both;
}
