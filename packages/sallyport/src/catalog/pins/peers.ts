import { isObject, type JsonObject } from '../../core/json.ts';
import type { Item } from '../items.ts';
import { toToolFace } from '../shadow/face.ts';
import type { Peer } from './inspection.ts';
import type { PinKind } from './pin.ts';

/** Definitions are read beside this many tools at most; the largest real catalogues have some thousands. */
const MAX_PEERS = 20_000;

/** Servers of one configuration are met for the first time within this time: none of them is trusted more. Milliseconds. */
const FRESH_MS = 10 * 60_000;

interface Kept {
  readonly text: string;
  freshUntil: number;
  /** Made when somebody asks; the same one as long as nothing of it changes: whoever indexes faces knows it again. */
  face: Peer | undefined;
}

export interface PeersPorts {
  readonly arrival: ArrivalOf;
  readonly program: ProgramOf;
  now(): number;
}

/**
 * Servers that came with the same configuration have the same number, later ones a higher one. `undefined`: there is no
 * server of this name now, pins outlive their server.
 */
export type ArrivalOf = (server: string) => number | undefined;

/** What a server runs, by whatever name it is configured; `undefined`: nobody knows. */
export type ProgramOf = (server: string) => string | undefined;

/** The approved tools of all servers. */
export class Peers {
  readonly #ports: PeersPorts;
  /** Server -> name at its server -> definition. */
  readonly #tools = new Map<string, Map<string, Kept>>();

  constructor(ports: PeersPorts) {
    this.#ports = ports;
  }

  /** @param text the approved definition; `undefined`: none is. Says whether it is another one now. */
  set(server: string, name: string, text: string | undefined): boolean {
    const tools = this.#tools.get(server) ?? new Map<string, Kept>();
    this.#tools.set(server, tools);
    if (text === undefined) return tools.delete(name);
    const known = tools.get(name);
    if (known?.text === text) return false;
    tools.set(name, { text, freshUntil: 0, face: undefined });
    return true;
  }

  /** First sight approved it now (`true`), or a person did (`false`). */
  setFresh(server: string, name: string, isFresh: boolean): void {
    const kept = this.#tools.get(server)?.get(name);
    if (kept !== undefined) kept.freshUntil = isFresh ? this.#ports.now() + FRESH_MS : 0;
  }

  /** Whether first sight approved it before the latest servers came, or long ago. */
  isSettled({ server, kind, name }: { server: string; kind: PinKind; name: string }): boolean {
    const tools = this.#tools.get(server);
    const kept = kind === 'tools' ? [tools?.get(name)] : [...(tools?.values() ?? [])];
    const now = this.#ports.now();
    if (!kept.some((one) => one !== undefined && now < one.freshUntil)) return true;
    const came = this.#ports.arrival(server) ?? 0;
    return [...this.#tools].some(([other, { size }]) => size > 0 && (this.#ports.arrival(other) ?? 0) > came);
  }

  /** What a definition of this server is read beside: its own tools as it offers them now, then the approved ones of others. */
  beside(server: string, offered: readonly Item[]): readonly Peer[] {
    const own = offered.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
    return this.besideTools(server, toPeers(server, own));
  }

  /** The same for tools of its own that are known already. */
  besideTools(server: string, own: readonly Peer[]): readonly Peer[] {
    const peers = [...own];
    const now = this.#ports.now();
    const came = this.#ports.arrival(server);
    const program = this.#ports.program(server);
    for (const [owner, tools] of this.#tools) {
      const arrival = this.#ports.arrival(owner);
      if (owner === server || arrival === undefined) continue;
      // The same program configured twice has the same tools twice: neither imitates the other.
      if (program !== undefined && this.#ports.program(owner) === program) continue;
      for (const kept of tools.values()) {
        if (peers.length >= MAX_PEERS) return peers;
        peers.push(faceOf(owner, kept, arrival === came && now < kept.freshUntil));
      }
    }
    return peers;
  }
}

/** Tools of one server as it offers them. */
export function toPeers(server: string, definitions: readonly JsonObject[]): Peer[] {
  return definitions
    .slice(0, MAX_PEERS)
    .map((definition) => ({ ...toToolFace(server, definition), isApproved: false, isFresh: false }));
}

function faceOf(server: string, kept: Kept, isFresh: boolean): Peer {
  if (kept.face === undefined || kept.face.isFresh !== isFresh) {
    const value: unknown = JSON.parse(kept.text);
    kept.face = { ...toToolFace(server, isObject(value) ? value : {}), isApproved: true, isFresh };
  }
  return kept.face;
}
