import type { Item } from '../items.ts';
import type { KnownList } from '../known-list.ts';
import type { Peer } from './inspection.ts';
import type { Definition } from './pin.ts';

export function toolsOf(lists: Iterable<KnownList>): readonly Item[] {
  return [...lists].flatMap(({ kind, items }) => (kind === 'tools' ? items : []));
}

/** Which definition of which name is meant. */
export interface NamedDigest {
  readonly name: string;
  readonly digest: string | undefined;
  /** As the caller knows it. */
  readonly shown?: string;
}

/** One item as it was met, described in full only when that is needed. */
export interface Met {
  readonly name: string;
  readonly digest: string;
  define(): Definition;
  removed(): ReadonlyMap<string, Removed>;
  /** What it is read beside. */
  beside(): readonly Peer[];
}

/** What stands in no list: it took the place of nothing, and is read beside nothing. */
export function metAlone(name: string, definition: Definition): Met {
  return { name, digest: definition.digest, define: () => definition, removed: () => new Map(), beside: () => [] };
}

/** An item that its server offered before under another name. */
export interface Removed {
  readonly name: string;
  readonly isHeld: boolean;
}
