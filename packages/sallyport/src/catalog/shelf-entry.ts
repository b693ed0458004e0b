import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { ListKind, Unavailable } from './contract.ts';
import { LIST_KINDS } from './items.ts';
import type { KnownList } from './known-list.ts';
import type { Shelf } from './shelf.ts';
import type { Stock } from './stock.ts';

/** One server of a view that is being made; without a stock it was removed or replaced by a reload. */
export interface ShelfEntry {
  readonly settings: ServerSettings;
  readonly stock: Stock | undefined;
  readonly shelf: Shelf | undefined;
}

/** Not known, and not tried yet or being tried: only this is worth waiting for. */
export function isMissing(
  { shelf }: ShelfEntry,
  { principal }: Client,
  kinds: Iterable<ListKind> = LIST_KINDS.keys(),
): boolean {
  if (shelf === undefined) return false;
  for (const kind of kinds) {
    if (shelf.identity !== undefined && shelf.cell(kind, principal.id) !== undefined) continue;
    const failure = shelf.failure(kind, principal.id);
    // Of what was given up waiting for the same request is under way still.
    if (failure === undefined || failure.at < (shelf.askedSince(kind, principal.id) ?? 0)) return true;
  }
  return false;
}

export function listsOf(shelf: Shelf | undefined, principal: string): ReadonlyMap<ListKind, KnownList> {
  const lists = new Map<ListKind, KnownList>();
  for (const kind of LIST_KINDS.keys()) {
    const cell = shelf?.cell(kind, principal);
    if (cell !== undefined) lists.set(kind, cell.list);
  }
  return lists;
}

const REPLACED = 'it was removed or replaced by a reload';

/** Why a view may lack what this server has. */
export function whyIncomplete(
  { settings: { fault }, shelf }: ShelfEntry,
  lists: ReadonlyMap<ListKind, KnownList>,
  principal: string,
): Pick<Unavailable, 'reason' | 'told'> | undefined {
  if (fault !== undefined) return { reason: fault, told: fault };
  if (shelf === undefined) return { reason: REPLACED, told: REPLACED };
  const missing = shelf.identity === undefined ? 'tools' : [...LIST_KINDS.keys()].find((kind) => !lists.has(kind));
  if (missing === undefined) return undefined;
  // Its requests ended with it, and nobody noted why.
  if (shelf.isClosed) return { reason: REPLACED, told: REPLACED };
  return shelf.failure(missing, principal) ?? { reason: 'it has not answered yet', told: undefined };
}
