import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { Item } from '../items.ts';
import type { Peer } from './inspection.ts';

/** Definitions are read beside this many tools at most; the largest real catalogues have some thousands. */
const MAX_PEERS = 20_000;

/** One face for one parsed definition: whoever indexes faces knows them again. */
const faces = new WeakMap<JsonObject, { readonly approved: Peer; readonly offered: Peer }>();

/** The approved tools of all servers. */
export class Peers {
  /** Server -> name at its server -> definition as text until somebody asks, then parsed. */
  readonly #tools = new Map<string, Map<string, string | JsonObject>>();

  /** @param text the approved definition; `undefined`: none is */
  set(server: string, name: string, text: string | undefined): void {
    const tools = this.#tools.get(server) ?? new Map<string, string | JsonObject>();
    this.#tools.set(server, tools);
    if (text === undefined) tools.delete(name);
    else tools.set(name, text);
  }

  /** What a definition of this server is read beside: its own tools as it offers them now, then the approved ones of others. */
  beside(server: string, offered: readonly Item[]): readonly Peer[] {
    const peers = toPeers(
      server,
      offered.flatMap(({ definition }) => (definition === undefined ? [] : [definition])),
    );
    for (const [owner, tools] of this.#tools) {
      if (owner === server) continue;
      for (const [name, kept] of tools) {
        if (peers.length >= MAX_PEERS) return peers;
        const definition = typeof kept === 'string' ? parse(kept) : kept;
        tools.set(name, definition);
        peers.push(faceOf(owner, definition).approved);
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
