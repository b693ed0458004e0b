import { randomInt } from 'node:crypto';
import type { ServerSettings, Snapshot } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { JsonObject } from '../core/json.ts';
import { runAtOnce } from '../core/pace.ts';
import type { Asked } from './asked.ts';
import { changedServers } from './changed-servers.ts';
import type {
  AnnouncedList,
  Catalog,
  CatalogPorts,
  CatalogReport,
  ListChange,
  Tally,
  Unavailable,
  View,
} from './contract.ts';
import { LIST_KINDS } from './items.ts';
import { isList, isMet, toNeed } from './need.ts';
import type { Offer, PinGate } from './pins/pin-gate.ts';
import { isWaiting } from './pins/server-pins.ts';
import { choosePrefix } from './prefix.ts';
import { isMissing, listsOf, type ShelfEntry, whyIncomplete } from './shelf-entry.ts';
import { createSight, type Sight, toSightKey } from './sight.ts';
import { createSinksOf, rememberSinks, type SinksIn, type SinksOf } from './sinks-of.ts';
import { Stock } from './stock.ts';
import { readStored, writeStored } from './stored.ts';
import { tallyOffers } from './tally.ts';
import { Turns } from './turns.ts';
import { createView } from './view.ts';
import { ViewCache } from './view-cache.ts';
import type { ViewPart } from './view-part.ts';
import { renewLists, waitForLists, whenHeard } from './wait-for-lists.ts';

/** Changes come in bursts at a start; one write for all of them. */
const SAVE_AFTER_MS = 250;
/** While a refresh runs behind, a busy endpoint looks for its outcome this often at most. */
const RECHECK_MS = 1000;

/**
 * Starts with what the store has; follows the events of the upstreams until it is closed.
 * @param pins decides which definitions are shown; left out: all are.
 */
export function createCatalog(ports: CatalogPorts, pins?: PinGate): Catalog {
  return new LiveCatalog(ports, pins);
}

class LiveCatalog implements Catalog {
  readonly #ports: CatalogPorts;
  readonly #stocks = new Map<string, Stock>();
  readonly #prefixes = new Map<string, string>();
  readonly #listeners = new Set<(change: ListChange) => void>();
  readonly #views = new ViewCache();
  readonly #sinksIn: SinksIn;
  readonly #sinksOf: SinksOf;
  #accessVersion: number | undefined;
  readonly #noted = new WeakSet<Client>();
  readonly #pins: PinGate | undefined;
  readonly #looks = { list: new Turns(), identity: new Turns() };
  readonly #unsubscribe: () => void;
  /** Parts of the store nobody has asked for yet. */
  #kept = new Map<string, JsonObject>();
  #newest: Snapshot | undefined;
  #loading: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();
  #saveTimer: NodeJS.Timeout | undefined;
  #savedText: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(ports: CatalogPorts, pins: PinGate | undefined) {
    this.#ports = ports;
    this.#pins = pins;
    this.#sinksIn = rememberSinks(ports.findSinks);
    this.#sinksOf = createSinksOf(this.#sinksIn);
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
    });
    const stopEvents = ports.upstreams.onEvent((event) => {
      if (event.kind === 'list_changed') this.#stocks.get(event.upstream)?.invalidate(event.list, event.era);
      else if (event.kind === 'connected') this.#stocks.get(event.upstream)?.outdate(event.era);
    });
    const stopPins = pins?.onChange((upstream, lists) => {
      this.#changed(this.#stocks.values());
      for (const list of lists) this.#announce({ upstream, list });
    });
    this.#unsubscribe = () => {
      stopEvents();
      stopPins?.();
    };
  }

  view(snapshot: Snapshot, endpoint: Endpoint, client: Client, asked?: Asked): View | Promise<View> {
    const access = this.#ports.access?.(snapshot);
    const sight = toSightKey({ snapshot, principal: client.principal, access });
    const cached = this.#views.find(snapshot, endpoint, { client, sight });
    const now = this.#ports.clock.now();
    if (cached !== undefined && now < cached.dueAt && (now < cached.staleAt || !isList(asked))) {
      // Who was first may leave first: everyone who shares the view must be known to those that keep it fresh.
      if (!this.#noted.has(client)) this.#shelves(snapshot, endpoint, client);
      if (cached.isWhole || isMet(toNeed(asked), cached.view)) return cached.view;
    }
    if (this.#loading !== undefined) return this.#loading.then(() => this.view(snapshot, endpoint, client, asked));
    const shelves = this.#shelves(snapshot, endpoint, client);
    const need = toNeed(asked);
    const isIntroduced = need.kind === 'introduction' && endpoint.kind === 'server';
    const missing = shelves.filter(
      (entry) => isMissing(entry, client) || (isIntroduced && entry.shelf?.identity === undefined),
    );
    for (const { shelf } of missing) void shelf?.refresh(client);
    const view = this.#show(snapshot, endpoint, { client, shelves });
    const prefixOf = ({ settings }: ShelfEntry) => this.#prefix(settings, snapshot);
    const waiting = { need, endpoint, client, now, shelves, prefixOf };
    const waits = [...waitForLists(missing, waiting), ...renewLists(shelves, waiting)];
    if (waits.length === 0 || isMet(need, view)) return view;
    return whenHeard(waits, { need, client, missing }, () => this.#show(snapshot, endpoint, { client, shelves }));
  }

  #shelves(snapshot: Snapshot, endpoint: Endpoint, client: Client): ShelfEntry[] {
    const sight = this.#sight(snapshot, endpoint, client);
    const isNewest = this.#adopt(snapshot);
    const shelves: ShelfEntry[] = [];
    for (const settings of snapshot.servers.values()) {
      // A server that is not there for this caller hears nothing on its behalf either.
      if (!sight.reaches(settings)) continue;
      // What its environment lacks is known: there is nothing to ask it for.
      const stock = settings.fault === undefined ? this.#stock(settings, isNewest) : undefined;
      const shelf = stock?.shelf(client.profile);
      shelf?.noteClient(client);
      shelves.push({ settings, stock, shelf });
    }
    this.#noted.add(client);
    return shelves;
  }

  #sight(snapshot: Snapshot, endpoint: Endpoint, { principal }: Client): Sight {
    return createSight({ snapshot, endpoint, principal, access: this.#ports.access?.(snapshot) });
  }

  adopt(snapshot: Snapshot): void {
    this.#adopt(snapshot);
    const version = this.#ports.access?.(snapshot).version();
    if (version === this.#accessVersion) return;
    this.#accessVersion = version;
    // What a policy hides or shows is not known before it is asked, so everyone looks again.
    this.#announceAll(snapshot.servers.keys());
  }

  /** Whether this is the newest snapshot seen; servers that are no longer in it are dropped. */
  #adopt(snapshot: Snapshot): boolean {
    const before = this.#newest;
    if (before === snapshot) return true;
    if (before !== undefined && snapshot.version < before.version) return false;
    this.#newest = snapshot;
    this.#views.renew(snapshot);
    if (before === undefined) this.#accessVersion = this.#ports.access?.(snapshot).version();
    for (const [name, stock] of this.#stocks) {
      if (snapshot.servers.has(name)) continue;
      this.#stocks.delete(name);
      void stock.close();
    }
    if (before !== undefined) this.#announceAll(changedServers(before, snapshot));
    return true;
  }

  /** `undefined`: the snapshot is older than a reload that replaced this server; the upstream of that name is another one now. */
  #stock(settings: ServerSettings, isNewest: boolean): Stock | undefined {
    const present = this.#stocks.get(settings.name);
    if (present?.settings === settings) return present;
    const { upstreams, clock, log, schemas } = this.#ports;
    const made = new Stock(settings, {
      upstreams,
      clock,
      log,
      schemas,
      changed: () => this.#changed([made]),
      reported: () => this.#ports.reported?.(),
      look: (offer, what) => this.#looks[what].run(this.#look(settings.name, offer)),
      listChanged: (change) => this.#announce(change),
    });
    if (present !== undefined && present.transportDigest === made.transportDigest) {
      if (isNewest) present.update(settings);
      return present;
    }
    if (!isNewest) return undefined;
    void present?.close();
    const kept = this.#kept.get(settings.name);
    if (kept !== undefined) made.restore(kept);
    this.#kept.delete(settings.name);
    this.#stocks.set(settings.name, made);
    this.#observe([made]);
    return made;
  }

  #show(snapshot: Snapshot, endpoint: Endpoint, found: { client: Client; shelves: readonly ShelfEntry[] }): View {
    const { shelves } = found;
    const { profile } = found.client;
    const principal = found.client.principal.id;
    const { clock, access, version = '0.0.0' } = this.#ports;
    const sightKey = toSightKey({ snapshot, principal: found.client.principal, access: access?.(snapshot) });
    const now = clock.now();
    const parts: ViewPart[] = [];
    const unavailable: Unavailable[] = [];
    let dueAt = Number.POSITIVE_INFINITY;
    let staleAt = Number.POSITIVE_INFINITY;
    for (const entry of shelves) {
      const { settings, stock, shelf } = entry;
      const identity = shelf?.identity;
      const lists = listsOf(shelf, principal);
      const why = whyIncomplete(entry, lists, principal);
      if (why !== undefined) unavailable.push({ upstream: settings.name, reason: why.reason, told: why.told });
      if (identity !== undefined) {
        const prefix = this.#prefix(settings, snapshot);
        const pins = this.#pins?.of(settings.name);
        for (const { state } of lists.values()) staleAt = Math.min(staleAt, state.freshUntil);
        parts.push({ server: settings, prefix, identity: pins?.release(identity) ?? identity, lists, pins });
      }
      if (shelf === undefined || stock === undefined) continue;
      const due = Math.min(...[...LIST_KINDS.keys()].map((kind) => shelf.dueAt(kind, principal)));
      stock.plan(due <= now);
      dueAt = Math.min(dueAt, due <= now ? now + RECHECK_MS : due);
    }
    const isPrivate = shelves.some(({ shelf }) => shelf?.isPersonal === true);
    const isWhole = shelves.every(
      (entry) => !isMissing(entry, found.client) && (endpoint.kind !== 'server' || entry.shelf?.identity !== undefined),
    );
    const made = {
      snapshot,
      endpoint,
      profile,
      sight: sightKey,
      principal,
      parts,
      unavailable,
      isPrivate,
      isWhole,
      staleAt,
      dueAt,
    };
    return this.#views.keep(made, () => {
      const sight = this.#sight(snapshot, endpoint, found.client);
      return createView({ snapshot, endpoint, sight, parts, unavailable, version, clock, sinksOf: this.#sinksOf });
    });
  }

  #prefix(settings: ServerSettings, snapshot: Snapshot): string {
    return choosePrefix(settings, snapshot.gateway.prefix, (server) => this.#randomPrefix(server));
  }

  #randomPrefix(server: string): string {
    const known = this.#prefixes.get(server);
    if (known !== undefined) return known;
    const taken = new Set(this.#prefixes.values());
    let prefix = randomWord();
    while (taken.has(prefix)) prefix = randomWord();
    this.#prefixes.set(server, prefix);
    this.#saveLater();
    return prefix;
  }

  invalidate(upstream: string, list?: AnnouncedList): void {
    this.#stocks.get(upstream)?.invalidate(list);
  }

  onChange(listener: (change: ListChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  forget(clientKey: string): void {
    for (const stock of this.#stocks.values()) stock.forgetClient(clientKey);
  }

  tally(upstream: string): Tally | undefined {
    const offers = [...(this.#stocks.get(upstream)?.offers() ?? [])];
    const pins = this.#pins?.of(upstream);
    return offers.length === 0 && !isWaiting(pins?.stateOfProgram())
      ? undefined
      : tallyOffers(offers, pins, this.#ports.schemas);
  }

  definitionsOf(upstream: string): readonly JsonObject[] | undefined {
    return this.#stocks.get(upstream)?.definitions();
  }

  reports(upstream?: string): readonly CatalogReport[] {
    if (upstream !== undefined) return this.#stocks.get(upstream)?.reports() ?? [];
    return [...this.#stocks.values()].flatMap((stock) => stock.reports());
  }

  /** Looks at everything in a list before it is among what may be shown, in short stretches: all of it in one go would hold every call. */
  *#look(server: string, offer: Offer): Generator<undefined, void> {
    if (this.#pins !== undefined) yield* this.#pins.look(server, offer);
    for (const { items } of offer.lists) {
      for (const { definition } of items) {
        if (definition !== undefined) this.#sinksIn(definition);
        yield;
      }
    }
  }

  /** Before anything new is shown. What was looked at costs next to nothing. */
  #observe(stocks: Iterable<Stock>): void {
    if (this.#pins === undefined) return;
    for (const stock of stocks)
      for (const offer of stock.offers()) runAtOnce(this.#pins.look(stock.settings.name, offer));
  }

  /** @param stocks of which something new may be shown */
  #changed(stocks: Iterable<Stock>): void {
    this.#observe(stocks);
    this.#views.expire();
    this.#saveLater();
  }

  #announceAll(upstreams: Iterable<string>): void {
    for (const upstream of upstreams)
      for (const list of ['tools', 'resources', 'prompts'] as const) this.#announce({ upstream, list });
  }

  #announce(change: ListChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#ports.log.error({ ...change, error: String(error) }, 'a listener of list changes threw');
      }
    }
  }

  async #load(): Promise<void> {
    const { store, log } = this.#ports;
    try {
      const text = await store.load();
      if (text === undefined) return;
      const stored = readStored(text);
      if (stored === undefined) {
        log.warn({}, 'the kept catalogue is damaged or of another version: starting without it');
        return;
      }
      this.#savedText = text;
      this.#kept = new Map(stored.upstreams);
      for (const [server, prefix] of stored.prefixes) this.#prefixes.set(server, prefix);
    } catch (error) {
      log.warn({ error: String(error) }, 'the kept catalogue cannot be read: starting without it');
    }
  }

  #saveLater(): void {
    if (this.#closed !== undefined) return;
    this.#saveTimer ??= setTimeout(() => this.#save(), SAVE_AFTER_MS).unref();
  }

  #save(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#saving = this.#saving.then(() => this.#write());
  }

  async #write(): Promise<void> {
    const { store, log } = this.#ports;
    const upstreams = new Map<string, JsonObject>();
    for (const [name, part] of this.#kept) if (this.#newest?.servers.has(name) !== false) upstreams.set(name, part);
    for (const [name, stock] of this.#stocks) {
      const part = stock.toStored();
      if (part !== undefined) upstreams.set(name, part);
    }
    try {
      const text = writeStored({ prefixes: this.#prefixes, upstreams });
      if (text === this.#savedText) return;
      await store.save(text);
      this.#savedText = text;
    } catch (error) {
      log.warn({ error: String(error) }, 'the catalogue could not be kept');
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#unsubscribe();
    await this.#loading;
    await Promise.all([...this.#stocks.values()].map((stock) => stock.close()));
    this.#save();
    await this.#saving;
    this.#listeners.clear();
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Four letters: short in front of every name, half a million of them. */
function randomWord(): string {
  return Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
