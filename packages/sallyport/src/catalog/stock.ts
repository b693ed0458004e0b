import type { ServerSettings } from '../config/settings.ts';
import type { Client, Era } from '../core/client.ts';
import type { JsonObject } from '../core/json.ts';
import type { UpstreamIdentity } from '../core/upstream-port.ts';
import type { AnnouncedList, CatalogPorts, CatalogReport, ListChange, ListKind } from './contract.ts';
import { type FetchedList, fetchList, type ListSource } from './fetch-list.ts';
import { describeItem, type Item, LIST_KINDS, rulesOf } from './items.ts';
import { type KnownList, RENEW_GAP_MS } from './known-list.ts';
import type { Offer } from './pins/pin-gate.ts';
import { Shelf } from './shelf.ts';
import { digestTransport, readUpstream, writeUpstream } from './stored.ts';

export interface StockPorts extends Pick<CatalogPorts, 'upstreams' | 'clock' | 'log' | 'schemas'> {
  changed(): void;
  reported(): void;
  /** At everything in an offer that is new, in short stretches. */
  look(offer: Offer, what: 'list' | 'identity'): Promise<void>;
  listChanged(change: ListChange): void;
}

interface Renewal {
  at: number;
  work: Promise<void> | undefined;
  next: NodeJS.Timeout | undefined;
}

/** Profiles are made by clients: without a bound they could fill the memory. */
const MAX_PROFILES = 64;
/** Between two rounds of refreshing one upstream: an upstream that announces changes without end is asked at most this often. */
const MIN_GAP_MS = 250;
/** Announcements come in bursts. */
const COALESCE_MS = 20;
const BASE_PROFILE = '';

/** What is known of one upstream, by client profile; refreshes it behind, one round at a time. */
export class Stock {
  readonly transportDigest: string;
  #settings: ServerSettings;
  readonly #ports: StockPorts;
  readonly #shelves = new Map<string, Shelf>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #round: Promise<void> | undefined;
  #lastRound = Number.NEGATIVE_INFINITY;
  /** What is being fetched, by connection; those that declare the same are given the same there. */
  #fetches = new WeakMap<UpstreamIdentity, Map<string, Promise<FetchedList>>>();
  /** By kind: the request that is under way, when the last one was made, and the next one. */
  readonly #renewals = new Map<ListKind, Renewal>();
  #closed = false;

  constructor(settings: ServerSettings, ports: StockPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.transportDigest = digestTransport(settings.transport);
  }

  get settings(): ServerSettings {
    return this.#settings;
  }

  /** Same transport, other limits. */
  update(settings: ServerSettings): void {
    this.#settings = settings;
  }

  restore(part: JsonObject): void {
    for (const { profile, identity, lists } of readUpstream(part, this.transportDigest)) {
      this.shelf(profile).restore(identity, lists);
    }
  }

  shelf(profile: string): Shelf {
    const shelf = this.#shelves.get(profile) ?? this.#addShelf(profile);
    this.#shelves.delete(profile);
    this.#shelves.set(profile, shelf);
    return shelf;
  }

  #addShelf(profile: string): Shelf {
    for (const [oldest, candidate] of this.#shelves) {
      if (this.#shelves.size < MAX_PROFILES) break;
      this.#shelves.delete(oldest);
      void candidate.close();
    }
    const { upstreams, clock, log, schemas } = this.#ports;
    return new Shelf(profile, {
      upstreams,
      clock,
      log,
      schemas,
      settings: () => this.#settings,
      fetch: (identity, source, kind) => this.#fetch(identity, source, kind),
      findEqual: (list) => this.#findEqual(list),
      changed: () => this.#ports.changed(),
      reported: () => this.#ports.reported(),
      look: (offer, what) => this.#ports.look(offer, what),
      listChanged: (list, principal, found) => {
        const change = { upstream: this.#settings.name, list, profile };
        const told = found === 'same' ? { ...change, isSame: true } : change;
        this.#ports.listChanged(principal === undefined ? told : { ...told, principal });
      },
    });
  }

  #fetch(identity: UpstreamIdentity, source: ListSource, kind: ListKind): Promise<FetchedList> {
    const fetches = this.#fetches.get(identity) ?? new Map<string, Promise<FetchedList>>();
    this.#fetches.set(identity, fetches);
    const key = `${kind} ${source.client.declared}`;
    const known = fetches.get(key);
    if (known !== undefined) return known;
    const work = fetchList(source, kind, () => this.#knownItems(kind)).finally(() => fetches.delete(key));
    fetches.set(key, work);
    return work;
  }

  #knownItems(kind: ListKind): ReadonlyMap<string, Item> {
    const known = new Map<string, Item>();
    for (const list of this.#lists()) if (list.kind === kind) for (const item of list.items) known.set(item.id, item);
    return known;
  }

  /** What it shows to the clients of each profile. */
  *offers(): Generator<Offer> {
    for (const shelf of this.#shelves.values()) {
      const { identity } = shelf;
      const cells = [...LIST_KINDS.keys()].flatMap((kind) => [...shelf.cells(kind).values()]);
      if (identity !== undefined) yield { identity, lists: cells.map(({ list }) => list) };
    }
  }

  /** `undefined`: nothing is known of the server. */
  definitions(): readonly JsonObject[] | undefined {
    if (![...this.#shelves.values()].some(({ identity }) => identity !== undefined)) return undefined;
    const found: JsonObject[] = [];
    for (const { items } of this.#lists())
      for (const { definition } of items) if (definition !== undefined) found.push(definition);
    return found;
  }

  *#lists(): Generator<KnownList> {
    for (const shelf of this.#shelves.values()) {
      for (const kind of LIST_KINDS.keys()) for (const cell of shelf.cells(kind).values()) yield cell.list;
    }
  }

  #findEqual(list: KnownList): KnownList | undefined {
    for (const known of this.#lists()) if (known.kind === list.kind && known.digest === list.digest) return known;
    return undefined;
  }

  /** `era`: for the clients of this one alone. */
  invalidate(list: AnnouncedList | undefined, era?: Era): void {
    const kinds = [...LIST_KINDS].filter(([, rules]) => list === undefined || rules.capability === list);
    // What was asked for before is not what was announced.
    this.#fetches = new WeakMap();
    for (const shelf of this.#concerned(era)) shelf.invalidate(kinds.map(([kind]) => kind));
    this.#ports.changed();
    this.#wakeAt(this.#ports.clock.now() + COALESCE_MS);
  }

  /** A connection was made. */
  outdate(era?: Era): void {
    for (const shelf of this.#concerned(era)) shelf.outdate();
    this.#ports.changed();
    this.#wakeAt(this.#ports.clock.now() + COALESCE_MS);
  }

  /** All but those in use by clients of the other era alone. */
  #concerned(era: Era | undefined): readonly Shelf[] {
    const shelves = [...this.#shelves.values()];
    return era === undefined ? shelves : shelves.filter(({ clients }) => clients.every((client) => client.era === era));
  }

  forgetClient(key: string): void {
    for (const shelf of this.#shelves.values()) shelf.forgetClient(key);
  }

  /**
   * Asks again for a list that is not fresh any more: one request at a time and one a second, for all clients together. What
   * is asked for too soon is asked for behind, so that a change is announced all the same.
   */
  renew(shelf: Shelf, client: Client, kind: ListKind): Promise<void> {
    const renewal: Renewal = this.#renewals.get(kind) ?? { at: 0, work: undefined, next: undefined };
    this.#renewals.set(kind, renewal);
    if (renewal.work !== undefined || this.#closed) return renewal.work ?? Promise.resolve();
    const now = this.#ports.clock.now();
    const cell = shelf.cell(kind, client.principal.id);
    const at = cell?.suspect === true ? 0 : Math.max(renewal.at, cell?.list.state.fetchedAt ?? 0) + RENEW_GAP_MS;
    if (now < at) {
      renewal.next ??= setTimeout(() => {
        renewal.next = undefined;
        if (shelf.isStale(kind, client.principal.id)) void this.renew(shelf, client, kind);
      }, at - now).unref();
      return Promise.resolve();
    }
    renewal.at = now;
    renewal.work = shelf.refresh(client, kind).finally(() => {
      renewal.work = undefined;
    });
    return renewal.work;
  }

  /** Refreshes behind: now what is due for clients in use, or later what is missing or outdated. */
  plan(isDue: boolean): void {
    this.#wakeAt(isDue ? this.#ports.clock.now() : this.#nextOpen());
  }

  #wakeAt(time: number): void {
    if (this.#closed || time === Number.POSITIVE_INFINITY) return;
    const at = Math.max(time, this.#lastRound + MIN_GAP_MS);
    if (this.#round !== undefined || at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Number.POSITIVE_INFINITY;
        this.#round = this.#refreshAll().finally(() => {
          this.#round = undefined;
          this.#lastRound = this.#ports.clock.now();
          this.#wakeAt(this.#nextOpen());
        });
      },
      Math.max(0, at - this.#ports.clock.now()),
    );
    this.#timer.unref();
  }

  /** The base profile first: where another one has the same list, its refresh serves both. */
  async #refreshAll(): Promise<void> {
    const shelves = [...this.#shelves.values()].reverse();
    shelves.sort((a, b) => Number(b.profile === BASE_PROFILE) - Number(a.profile === BASE_PROFILE));
    for (const shelf of shelves) {
      for (const client of shelf.clients) {
        if (this.#closed) return;
        await shelf.refresh(client);
      }
    }
  }

  #nextOpen(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const shelf of this.#shelves.values()) {
      for (const client of shelf.clients) {
        for (const kind of LIST_KINDS.keys()) next = Math.min(next, shelf.openAt(kind, client.principal.id));
      }
    }
    return next;
  }

  reports(): CatalogReport[] {
    const upstream = this.#settings.name;
    const found = new Map<string, CatalogReport>();
    const add = (kind: CatalogReport['kind'], item: string, problem: string) =>
      found.set(`${item}\n${problem}`, { kind, upstream, item, problem });
    for (const list of this.#lists()) {
      for (const { item, problem } of list.state.problems) add('item', item, problem);
      if (list.kind !== 'tools') continue;
      for (const { id, digest } of list.items)
        for (const problem of this.#ports.schemas?.unusable(digest) ?? [])
          add('schema', describeItem('tools', id), problem);
    }
    for (const shelf of this.#shelves.values()) {
      for (const [key, { reason }] of shelf.failures()) {
        add('list', shelf.identity === undefined ? 'connection' : rulesOf(toKind(key)).method, reason);
      }
    }
    return [...found.values()];
  }

  toStored(): JsonObject | undefined {
    const profiles = [...this.#shelves.values()].flatMap((shelf) => {
      const { profile, identity } = shelf;
      if (identity === undefined) return [];
      const lists = [...LIST_KINDS.keys()].flatMap((kind) =>
        [...shelf.cells(kind)].map(([principal, { list }]) => ({ principal, list })),
      );
      return lists.length === 0 ? [] : [{ profile, identity, lists }];
    });
    return profiles.length === 0 ? undefined : writeUpstream(this.transportDigest, profiles);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { next } of this.#renewals.values()) clearTimeout(next);
    await Promise.all([...this.#shelves.values()].map((shelf) => shelf.close()));
    await this.#round;
  }
}

function toKind(failureKey: string): ListKind {
  // Keys are written by Shelf as "<kind> <principal>".
  return failureKey.slice(0, failureKey.indexOf(' ')) as ListKind;
}
