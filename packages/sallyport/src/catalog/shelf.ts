import type { ServerSettings } from '../config/settings.ts';
import { isPerPrincipal } from '../config/upstream-auth.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { UpstreamIdentity } from '../core/upstream-port.ts';
import { checkSchemas } from './check-schemas.ts';
import type { AnnouncedList, CatalogPorts, ListKind } from './contract.ts';
import type { FetchedList, ListSource } from './fetch-list.ts';
import { LIST_KINDS, rulesOf } from './items.ts';
import { type KnownList, noteFetched, toKnownList } from './known-list.ts';
import type { Offer } from './pins/pin-gate.ts';
import { setRecent } from './set-recent.ts';
import { toReason } from './to-reason.ts';

/** One list as one principal may see it; the key `''` stands for everyone. */
export interface Cell {
  readonly list: KnownList;
  /** The upstream announced a change: being equal to another profile's list no longer keeps it fresh. */
  suspect: boolean;
  /** Until when equality with another profile's list is believed. */
  provenUntil: number;
}

export interface Failure {
  readonly reason: string;
  /** The same without a word of the server: for the instructions of a model. */
  readonly told: string;
  readonly at: number;
  readonly retryAt: number;
  readonly count: number;
}

interface Flight {
  readonly work: Promise<void>;
  readonly since: number;
}

export interface ShelfPorts extends Pick<CatalogPorts, 'upstreams' | 'clock' | 'log' | 'schemas'> {
  settings(): ServerSettings;
  /** Asks the server, or joins who asks it over the same connection. */
  fetch(identity: UpstreamIdentity, source: ListSource, kind: ListKind): Promise<FetchedList>;
  /** The same list when another profile has it. */
  findEqual(list: KnownList): KnownList | undefined;
  /** Looks at everything in an offer before any of it is shown. An identity waits for no list. */
  look(offer: Offer, what: 'list' | 'identity'): Promise<void>;
  /** What a view shows may be different now. */
  changed(): void;
  /** There is something new to report. */
  reported(): void;
  /** Clients saw this list, or saw the endpoint without it, and it is another one now, or its server said so. */
  listChanged(list: AnnouncedList, principal: string | undefined, found: 'other' | 'same'): void;
}

/** One hour: a server whose answer begins to depend on the client is found out within it. */
const EQUALITY_MS = 3_600_000;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
const EVERYONE = '';
const NOTHING: FetchedList = { items: [], problems: [], ttlMs: undefined, isPrivate: false };

/** What one upstream showed to clients of one profile: who it is, its lists, and what went wrong. */
export class Shelf {
  readonly profile: string;
  readonly #ports: ShelfPorts;
  #identity: UpstreamIdentity | undefined;
  readonly #cells = new Map<ListKind, Map<string, Cell>>();
  readonly #failures = new Map<string, Failure>();
  readonly #flights = new Map<string, Flight>();
  /** Lists that somebody was shown without this server's part. */
  readonly #gaps = new Set<ListKind>();
  #introduce = (): void => {};
  /** Resolves once the server has said who it is, in this run or an earlier one. */
  readonly identified = new Promise<void>((resolve) => {
    this.#introduce = resolve;
  });
  readonly #generations = new Map<ListKind, number>();
  /** By key, the latest last: lists may only be asked for by a client that gets this answer. */
  readonly #clients = new Map<string, Client>();
  readonly #stop = new AbortController();

  constructor(profile: string, ports: ShelfPorts) {
    this.profile = profile;
    this.#ports = ports;
    for (const kind of LIST_KINDS.keys()) this.#cells.set(kind, new Map());
  }

  get identity(): UpstreamIdentity | undefined {
    return this.#identity;
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  get isBusy(): boolean {
    return this.#flights.size > 0;
  }

  /** What it shows one principal is not for others, even where it has nothing for this one. */
  get isPersonal(): boolean {
    const isOwn = (principal: string) => principal !== EVERYONE;
    return (
      isPerPrincipal(this.#ports.settings().auth) ||
      [...this.#cells.values()].some((cells) => [...cells.keys()].some(isOwn))
    );
  }

  /** One of each principal. */
  get clients(): readonly Client[] {
    return [...new Map([...this.#clients.values()].map((client) => [client.principal.id, client])).values()];
  }

  cells(kind: ListKind): ReadonlyMap<string, Cell> {
    return this.#cells.get(kind) ?? new Map();
  }

  cell(kind: ListKind, principal: string): Cell | undefined {
    const cells = this.#cells.get(kind);
    return cells?.get(principal) ?? cells?.get(EVERYONE);
  }

  failure(kind: ListKind, principal: string): Failure | undefined {
    return this.#failures.get(`${kind} ${principal}`);
  }

  failures(): ReadonlyMap<string, Failure> {
    return this.#failures;
  }

  /** When the request for this list that is under way was made. Milliseconds since the epoch. */
  askedSince(kind: ListKind, principal: string): number | undefined {
    return this.#flights.get(this.#flightKey(kind, principal))?.since;
  }

  /** Somebody was shown this list without what this server has: it is announced when it comes. */
  noteGap(kind: ListKind): void {
    this.#gaps.add(kind);
  }

  /** Puts back what was kept from an earlier start. It is known but not fresh. */
  restore(identity: UpstreamIdentity, lists: readonly { principal: string; list: KnownList }[]): void {
    this.#identity = identity;
    this.#introduce();
    const provenUntil = this.#ports.clock.now() + EQUALITY_MS;
    for (const { principal, list } of lists)
      this.#cells.get(list.kind)?.set(principal, { list, suspect: false, provenUntil });
  }

  noteClient(client: Client): void {
    setRecent(this.#clients, client.key, client);
  }

  forgetClient(key: string): void {
    this.#clients.delete(key);
  }

  /** The upstream said that these lists changed, on this connection or another. */
  invalidate(kinds: readonly ListKind[]): void {
    for (const kind of kinds) {
      this.#generations.set(kind, (this.#generations.get(kind) ?? 0) + 1);
      for (const cell of this.cells(kind).values()) cell.suspect = true;
    }
    this.#retryNow();
  }

  /** A connection was made anew: the server may be another version of itself. */
  outdate(): void {
    for (const [kind, cells] of this.#cells) {
      this.#generations.set(kind, (this.#generations.get(kind) ?? 0) + 1);
      for (const { list } of cells.values()) Object.assign(list.state, { freshUntil: 0, renewAt: 0 });
      // An equal list that another profile was given does not say who the server is for this one.
      for (const cell of cells.values()) cell.provenUntil = 0;
    }
    this.#retryNow();
  }

  #retryNow(): void {
    // While a fetch is under way its own connection may be what was announced: retrying would go round in a circle.
    if (this.isBusy) return;
    for (const [key, failure] of this.#failures) this.#failures.set(key, { ...failure, retryAt: 0 });
  }

  /** From when on this list should be asked for; in the past: now. */
  dueAt(kind: ListKind, principal: string): number {
    const cell = this.cell(kind, principal);
    const due =
      cell === undefined || cell.suspect || this.#identity === undefined
        ? 0
        : Math.min(cell.list.state.renewAt, cell.provenUntil);
    return Math.max(due, this.failure(kind, principal)?.retryAt ?? 0);
  }

  /** Like `dueAt` for a list that is missing or known to be outdated; never for one that merely grew old: that would be polling. */
  openAt(kind: ListKind, principal: string): number {
    const cell = this.cell(kind, principal);
    const isOpen = cell === undefined || cell.suspect || cell.list.state.renewAt === 0;
    return isOpen ? this.dueAt(kind, principal) : Number.POSITIVE_INFINITY;
  }

  /** Whether this list is not fresh any more by what its server says; never one of an earlier run, which is asked for anyway. */
  isStale(kind: ListKind, principal: string): boolean {
    const cell = this.cell(kind, principal);
    const isOwn = cell !== undefined && cell.list.state.fetchedAt !== 0;
    return isOwn && (cell.suspect || cell.list.state.freshUntil <= this.#ports.clock.now());
  }

  /**
   * Asks for all lists of this client that are due, or joins whoever asks already. Never rejects.
   * @param only this list, due or not
   */
  async refresh(client: Client, only?: ListKind): Promise<void> {
    const principal = client.principal.id;
    const now = this.#ports.clock.now();
    const joined = new Set<Promise<void>>();
    const kinds: ListKind[] = [];
    for (const kind of only === undefined ? LIST_KINDS.keys() : [only]) {
      const dueAt = only === undefined ? this.dueAt(kind, principal) : (this.failure(kind, principal)?.retryAt ?? 0);
      if (dueAt > now || this.#stop.signal.aborted) continue;
      const flight = this.#flights.get(this.#flightKey(kind, principal));
      if (flight === undefined) kinds.push(kind);
      else joined.add(flight.work);
    }
    if (kinds.length > 0) {
      const keys = kinds.map((kind) => this.#flightKey(kind, principal));
      const work = this.#fetch(kinds, client).finally(() => {
        for (const key of keys) this.#flights.delete(key);
      });
      for (const key of keys) this.#flights.set(key, { work, since: now });
      joined.add(work);
    }
    await Promise.all(joined);
  }

  /** A list known to be for everyone is fetched once for all principals. */
  #flightKey(kind: ListKind, principal: string): string {
    return this.cells(kind).has(EVERYONE) ? kind : `${kind} ${principal}`;
  }

  async #fetch(kinds: readonly ListKind[], client: Client): Promise<void> {
    const { upstreams, settings } = this.#ports;
    const { name, startTimeoutMs, timeoutMs } = settings();
    const ms = startTimeoutMs + timeoutMs;
    const late = AbortSignal.timeout(ms);
    const signal = AbortSignal.any([late, this.#stop.signal]);
    const gone = new Promise<never>((_, reject) => {
      const stop = () =>
        reject(
          new FaultError(
            'timeout',
            `"${name}" did not answer within ${ms} ms when asked for its lists. Look at its log, or raise its startTimeoutMs and timeoutMs.`,
          ),
        );
      signal.addEventListener('abort', stop, { once: true });
    });
    gone.catch(() => {});
    let isConnected = false;
    try {
      const identity = await Promise.race([upstreams.identify(name, client), gone]);
      isConnected = true;
      await this.#setIdentity(identity);
      const fetched = kinds.map(async (kind) => {
        const generation = this.#generations.get(kind);
        try {
          const declared = isObject(member(identity.capabilities, rulesOf(kind).capability));
          const source = { upstreams, upstream: name, client, signal };
          const list = declared ? await Promise.race([this.#ports.fetch(identity, source, kind), gone]) : NOTHING;
          return await this.#keep(kind, client.principal.id, { list, generation });
        } catch (error) {
          this.#fail([kind], client.principal.id, { ...toReason(error), isReported: false });
          return undefined;
        }
      });
      // Clients know resources and their templates as one list: they are told once, when both are there.
      const isOf = (list: AnnouncedList) => (_: unknown, index: number) =>
        rulesOf(kinds[index] ?? 'tools').capability === list;
      const lists = new Set(kinds.map((kind) => rulesOf(kind).capability));
      await Promise.all(
        [...lists].map(async (list) => {
          const changed = await Promise.all(fetched.filter(isOf(list)));
          const found = changed.includes('other') ? 'other' : changed.find((one) => one !== undefined);
          if (found !== undefined) this.#ports.listChanged(list, this.#whose(list, client.principal.id), found);
        }),
      );
    } catch (error) {
      // A connection that could not be made is in the log already.
      this.#fail(kinds, client.principal.id, { ...toReason(error), isReported: !isConnected });
    }
  }

  async #setIdentity(identity: UpstreamIdentity): Promise<void> {
    // The same object while nothing changed: views made of it stay valid.
    const isSame = () => this.#identity !== undefined && JSON.stringify(this.#identity) === JSON.stringify(identity);
    if (isSame()) return;
    // Many servers answer at once at a start: what they say is read in turns, so that clients are served meanwhile.
    await this.#ports.look({ identity, lists: this.#lists() }, 'identity');
    if (this.#stop.signal.aborted || isSame()) return;
    this.#identity = identity;
    this.#introduce();
    this.#ports.changed();
  }

  /** Lists of one caller are no news to another. */
  #whose(list: AnnouncedList, principal: string): string | undefined {
    const kinds = [...LIST_KINDS.keys()].filter((kind) => rulesOf(kind).capability === list);
    return kinds.every((kind) => this.cells(kind).has(principal)) ? principal : undefined;
  }

  /** `other`: clients saw another list, or the endpoint without it; `same`: its server announced a change, and there is none. */
  async #keep(
    kind: ListKind,
    principal: string,
    fetched: { list: FetchedList; generation: number | undefined },
  ): Promise<'other' | 'same' | undefined> {
    const { clock, settings, log } = this.#ports;
    if (this.#stop.signal.aborted) return undefined;
    const made = toKnownList(kind, fetched.list);
    if (this.#ports.findEqual(made) === undefined) await this.#look(made, principal);
    if (this.#stop.signal.aborted) return undefined;
    const list = this.#ports.findEqual(made) ?? made;
    const now = clock.now();
    const overtaken = this.#generations.get(kind) !== fetched.generation;
    // What was shown to one caller's credential is shown to no other, whatever the upstream says about it.
    const isPrivate = fetched.list.isPrivate || isPerPrincipal(settings().auth);
    noteFetched(list.state, fetched.list, { listTtlMs: settings().listTtlMs, now, overtaken });
    const { list: before, suspect } = this.cell(kind, principal) ?? {};
    const failed = this.#failures.delete(`${kind} ${principal}`);
    const cells = this.#cells.get(kind) ?? new Map<string, Cell>();
    if (!isPrivate) cells.clear();
    else cells.delete(EVERYONE);
    setRecent(cells, isPrivate ? principal : EVERYONE, { list, suspect: overtaken, provenUntil: now + EQUALITY_MS });
    if (kind === 'tools') void this.#check(list);
    if (before === list && !failed) return suspect === true ? 'same' : undefined;
    this.#ports.changed();
    const wasMissed = this.#gaps.delete(kind) || failed;
    const isOther = before === undefined ? wasMissed && list.items.length > 0 : before !== list;
    if (isOther) log.info({ upstream: settings().name, list: kind, items: list.items.length }, 'list changed');
    return isOther ? 'other' : undefined;
  }

  /** Never rejects: ends with the checks, or with this shelf. */
  async #check({ items, state }: KnownList): Promise<void> {
    const { schemas, settings } = this.#ports;
    if (schemas === undefined || state.isChecked) return;
    state.isChecked = true;
    await checkSchemas(schemas, { upstream: settings().name, items }, this.#stop.signal);
    if (!this.#stop.signal.aborted && items.some(({ digest }) => schemas.unusable(digest).length > 0))
      this.#ports.reported();
  }

  /** Beside what else the server offers, without the list that this one takes the place of. */
  async #look(list: KnownList, principal: string): Promise<void> {
    const replaced = this.cell(list.kind, principal)?.list;
    const lists = [list, ...this.#lists().filter((other) => other !== replaced)];
    await this.#ports.look({ identity: this.#identity, lists }, 'list');
  }

  #lists(): KnownList[] {
    return [...LIST_KINDS.keys()].flatMap((kind) => [...this.cells(kind).values()].map((cell) => cell.list));
  }

  /** Counts as a failure for views that must not wait any longer; a fetch under way may still succeed. */
  giveUpWaiting(principal: string, reason: string): void {
    const missing = [...LIST_KINDS.keys()].filter((kind) => this.cell(kind, principal) === undefined);
    this.#fail(missing, principal, { reason, told: reason, isReported: true });
  }

  #fail(
    kinds: readonly ListKind[],
    principal: string,
    fault: { reason: string; told: string; isReported: boolean },
  ): void {
    if (this.#stop.signal.aborted || kinds.length === 0) return;
    const { clock, log, settings } = this.#ports;
    const { reason, told } = fault;
    // Tried again and again, and for each list and caller: reported once, until there is another reason.
    const isNews = !fault.isReported && ![...this.#failures.values()].some((failure) => failure.reason === reason);
    for (const kind of kinds) {
      const count = (this.failure(kind, principal)?.count ?? 0) + 1;
      const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(count - 1, 10));
      const at = clock.now();
      setRecent(this.#failures, `${kind} ${principal}`, { reason, told, at, count, retryAt: at + wait });
    }
    log[isNews ? 'warn' : 'debug']({ upstream: settings().name, lists: kinds, reason }, 'lists could not be fetched');
    this.#ports.changed();
  }

  close(): Promise<void> {
    this.#stop.abort();
    return Promise.all([...this.#flights.values()].map(({ work }) => work)).then(() => {});
  }
}
