import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { View } from './contract.ts';
import { toNameCharacters } from './names.ts';
import { isMet, type Need } from './need.ts';
import { isMissing, type ShelfEntry } from './shelf-entry.ts';
import { waitAtMost } from './wait-at-most.ts';

/** A first list waits this long for a server; the rest follows by `list_changed`. Milliseconds. */
const LIST_MS = 2000;
/** A server that takes longer than this to start is not waited for by every client that comes meanwhile. Milliseconds. */
const SLOW_START_MS = 10_000;
/** A server that answers at once still has its instructions in the first introduction of the shared endpoint. Milliseconds. */
const INTRODUCTION_MS = 100;
/** What a shortened name keeps of its prefix at least. */
const PREFIX_HEAD = 20;

export interface Waiting {
  readonly need: Need;
  readonly endpoint: Endpoint;
  readonly client: Client;
  readonly now: number;
  /** Of all servers of the endpoint. */
  readonly shelves: readonly ShelfEntry[];
  prefixOf(entry: ShelfEntry): string;
}

/**
 * Waits for servers whose lists are not known yet, as far as the request needs them: one promise for each. The trouble of a
 * server is its own, so a call waits for the server it may be for, and for no other.
 */
export function waitForLists(missing: readonly ShelfEntry[], waiting: Waiting): readonly Promise<void>[] {
  const { need, endpoint, client, now } = waiting;
  switch (need.kind) {
    case 'nothing':
      return [];
    case 'everything':
      return missing.map((entry) => waitForStart(entry, client));
    case 'introduction':
      return missing.map((entry) => waitForIdentity(entry, waiting));
    case 'list':
      return missing
        .filter((entry) => isMissing(entry, client, [need.list]))
        .map(({ shelf }) => {
          const since = shelf?.askedSince(need.list, client.principal.id) ?? now;
          return waitQuietly(shelf?.refresh(client), now - since < SLOW_START_MS ? LIST_MS : 0);
        });
    case 'item':
      return missing
        .filter((entry) => endpoint.kind === 'server' || mayOwn(entry, need, waiting))
        .map((entry) => waitForStart(entry, client));
  }
}

/**
 * Has lists asked for again that are not fresh any more. The endpoint of one server waits for that, as a client that talks to
 * the server itself would; elsewhere the old list is served, and a change is announced.
 */
export function renewLists(shelves: readonly ShelfEntry[], waiting: Waiting): readonly Promise<void>[] {
  const { need, endpoint, client } = waiting;
  if (need.kind !== 'list') return [];
  const renewals = shelves.flatMap(({ stock, shelf }) =>
    stock !== undefined && shelf?.isStale(need.list, client.principal.id) === true
      ? [stock.renew(shelf, client, need.list)]
      : [],
  );
  return endpoint.kind === 'server' ? renewals.map((renewal) => waitQuietly(renewal, LIST_MS)) : [];
}

interface Unheard extends Pick<Waiting, 'need' | 'client'> {
  readonly missing: readonly ShelfEntry[];
}

/** The view once the servers that were not heard yet have answered, or were given up waiting for. */
export async function whenHeard(
  waits: readonly Promise<void>[],
  { need, client, missing }: Unheard,
  show: () => View,
): Promise<View> {
  const open = new Set<Promise<void>>();
  for (const wait of waits) {
    const closing: Promise<void> = wait.then(() => {
      open.delete(closing);
    });
    open.add(closing);
  }
  if (need.kind !== 'item') await Promise.all(open);
  let view = show();
  while (open.size > 0 && !isMet(need, view)) {
    await Promise.race(open);
    view = show();
  }
  if (need.kind === 'list')
    for (const entry of missing) if (isMissing(entry, client, [need.list])) entry.shelf?.noteGap(need.list);
  return view;
}

/** Whether the name may be of this server, as far as a name can tell. */
function mayOwn(entry: ShelfEntry, need: Need & { kind: 'item' }, { endpoint, shelves, prefixOf }: Waiting): boolean {
  const { name, list } = need;
  // A bundle gives tools other names.
  if (endpoint.kind === 'bundle') return true;
  if (list === 'resources') {
    // A URI that no server is named in may be made of a template of any.
    const owner = shelves.find(({ settings }) => name.startsWith(`${settings.name}+`));
    return owner === undefined || owner === entry;
  }
  const prefix = prefixOf(entry);
  return (
    prefix === '' || name.startsWith(`${prefix}_`) || name.startsWith(toNameCharacters(prefix).slice(0, PREFIX_HEAD))
  );
}

function waitForIdentity({ settings, shelf }: ShelfEntry, { endpoint, client, now }: Waiting): Promise<void> {
  if (endpoint.kind !== 'server') {
    // Counted from when it was asked: who comes later does not wait for a silent server again.
    const since = shelf?.askedSince('tools', client.principal.id) ?? now;
    return waitQuietly(shelf?.identified, INTRODUCTION_MS - (now - since));
  }
  if (shelf === undefined || client.principal.kind !== 'stdio') return waitQuietly(shelf?.identified, LIST_MS);
  // A client that started us asks once: it waits for the first try, as it would for the server itself.
  return waitQuietly(Promise.race([shelf.identified, shelf.refresh(client)]), settings.startTimeoutMs);
}

async function waitQuietly(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (work !== undefined && ms > 0) await waitAtMost(work, ms);
}

async function waitForStart({ settings, stock, shelf }: ShelfEntry, client: Client): Promise<void> {
  if (stock === undefined || shelf === undefined) return;
  if (await waitAtMost(shelf.refresh(client), settings.startTimeoutMs)) return;
  shelf.giveUpWaiting(
    client.principal.id,
    `no answer within ${settings.startTimeoutMs} ms of starting it; raise startTimeoutMs if it needs longer`,
  );
  // Whatever comes later is picked up behind.
  stock.plan(true);
}
