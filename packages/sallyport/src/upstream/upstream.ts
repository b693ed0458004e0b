import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Answer, Notification } from '../core/message.ts';
import type { Share } from '../core/shares.ts';
import type { UpstreamEvent, UpstreamIdentity, UpstreamRequest, UpstreamStatus } from '../core/upstream-port.ts';
import type { CreateCredential } from './auth/credentials.ts';
import { Breaker } from './breaker.ts';
import { connect } from './connect.ts';
import { Connection } from './connection.ts';
import { looksLikeOtherEra } from './era.ts';
import { type EraStore, toEraKey } from './era-store.ts';
import { FloodGate } from './flood-gate.ts';
import { Following } from './following.ts';
import { LearnedEras } from './learned-eras.ts';
import { callModern } from './modern.ts';
import { Origins } from './origins.ts';
import { type Lease, Pool } from './pool.ts';
import type { Supervisor } from './supervisor.ts';
import { Turnstile } from './turnstile.ts';
import { toCancelled, untilCancelled } from './until-cancelled.ts';

export interface UpstreamOptions {
  readonly settings: ServerSettings;
  readonly supervisor: Supervisor;
  readonly eras: EraStore;
  readonly log: Log;
  readonly clock: Clock;
  readonly identity: { readonly name: string; readonly version: string };
  readonly emit: (event: UpstreamEvent) => void;
  readonly createCredential?: CreateCredential;
}

/** One caller gets 256 of them. */
const LINE = 292;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

const LEGACY_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/roots/list_changed',
  'notifications/initialized',
  'notifications/cancelled',
]);

/** One upstream: everything between a call and its connections. */
export class Upstream {
  readonly settings: ServerSettings;
  readonly following: Following;
  readonly #options: UpstreamOptions;
  readonly #eras: LearnedEras;
  readonly #origins: Origins;
  readonly #pool: Pool;
  readonly #breaker: Breaker;
  readonly #turnstile: Turnstile;
  readonly #gate: FloodGate;
  /** Faults the breaker knows already: one lost connection fails many requests. */
  readonly #counted = new WeakSet<FaultError>();
  /** All of them, those in the middle of their handshake included. */
  readonly #connections = new Set<Connection>();
  readonly #closing = new AbortController();
  #lastFault: FaultError | undefined;
  /** Why nobody is let in; says nothing about whether the upstream is up. */
  #authFault: FaultError | undefined;
  /** What its command runs is not approved. */
  #heldFault: FaultError | undefined;
  /** The failure of a connection that the log has, without its numbers. */
  #reported: string | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #pause = FIRST_PAUSE;
  #closed = false;

  constructor(options: UpstreamOptions) {
    const { settings, eras, clock, identity, log } = options;
    const { transport, name } = settings;
    this.#options = options;
    this.settings = settings;
    this.#eras = new LearnedEras({ store: eras, key: toEraKey(name, transport), clock, forced: settings.era });
    this.#origins = new Origins({ settings, identity, createCredential: options.createCredential });
    this.#pool = new Pool({
      settings,
      eras: this.#eras,
      connect: (client, own) => this.#connect(client, own),
      ready: (connection, key) => this.following.prepare(connection, key),
      wanted: (key) => this.following.follower(key) !== undefined,
    });
    this.following = new Following({
      keyOf: (client) => this.#pool.keyOf(client),
      find: (client) => this.#pool.find(client),
      clientInfo: { ...identity },
      log,
    });
    this.#gate = new FloodGate({ upstream: name, log, now: () => performance.now() });
    this.#breaker = new Breaker({ name, clock, ...settings.breaker });
    this.#turnstile = new Turnstile({ name, places: settings.concurrency, line: LINE, patienceMs: settings.timeoutMs });
  }

  async send(request: UpstreamRequest, exchange: Exchange): Promise<Answer> {
    if (exchange.cancelled) throw toCancelled();
    this.#breaker.admit();
    const share = this.#turnstile.tryEnter(exchange) ?? (await this.#wait(exchange));
    const startedAt = performance.now();
    let connection: Connection | undefined;
    try {
      for (let again = false; ; again = true) {
        const lease = this.#present(exchange) ?? (await untilCancelled(this.#pool.lease(exchange), exchange));
        connection = lease.connection;
        try {
          const answer = await this.#call(connection, request, exchange);
          if (again || !this.#isOtherEra(connection, answer)) {
            this.#breaker.succeeded();
            this.#authFault = undefined;
            return answer;
          }
        } catch (error) {
          // A session that has ended refused the request unread: it may be sent again, in a new one.
          if (again || !(error instanceof FaultError) || error.code !== 'session_not_found') throw error;
        } finally {
          lease.done();
        }
      }
    } catch (error) {
      const fault = toFault(error);
      this.#count(fault, connection !== undefined && connection.heardAt > startedAt);
      throw fault.code === 'session_not_found' ? new FaultError('unreachable', fault.message, { cause: fault }) : fault;
    } finally {
      this.#turnstile.leave(share);
    }
  }

  async #wait(exchange: Exchange): Promise<Share> {
    // Whoever stands in line says nothing about the upstream.
    this.#breaker.passed();
    const share = await this.#turnstile.enter(exchange);
    try {
      this.#breaker.admit();
      return share;
    } catch (error) {
      this.#turnstile.leave(share);
      throw error;
    }
  }

  /** The usual case without a promise: a shared connection that is there. */
  #present(exchange: Exchange): Lease | undefined {
    if (this.#pool.needsLease(exchange)) return undefined;
    const connection = this.#pool.find(exchange.client);
    return connection === undefined ? undefined : { connection, done: NOTHING };
  }

  #call(connection: Connection, request: UpstreamRequest, exchange: Exchange): Promise<Answer> {
    const { dialect } = connection;
    if (dialect === undefined) return Promise.reject(new FaultError('internal', 'The connection has no dialect yet.'));
    if (dialect.era === 'modern') return callModern(connection, request, exchange);
    const go = () =>
      connection.request(request.request.method, (id) => dialect.write(request, id, exchange), {
        timing: this.settings,
        exchange,
      });
    // A modern client names its level with each request; a legacy server has to be told once.
    const raised = this.following.raiseLevel(connection, exchange);
    return raised === undefined ? go() : raised.then(go);
  }

  /** The server behind the address was exchanged for one of the other era: its record is void. */
  #isOtherEra(connection: Connection, answer: Answer): boolean {
    const era = connection.dialect?.era;
    if (era === undefined || this.settings.era !== 'auto' || !looksLikeOtherEra(era, answer)) return false;
    this.#options.log.warn(
      { upstream: this.settings.name, era },
      'The upstream seems to speak another era than before',
    );
    this.#eras.forget();
    void connection.retire();
    return true;
  }

  #count(fault: FaultError, heardSince: boolean): void {
    if (fault.code === 'upstream_unauthenticated') this.#authFault = fault;
    const counts =
      fault.code === 'unreachable' || (fault.code === 'timeout' && !heardSince) || fault === this.#lastFault;
    if (!counts) {
      this.#breaker.passed();
      return;
    }
    if (this.#counted.has(fault)) return;
    this.#counted.add(fault);
    this.#lastFault = fault;
    this.#breaker.failed(fault);
  }

  notify(notification: Notification, client: Client): void {
    const text = notification.bytes.toString('latin1');
    for (const connection of this.#pool.findAll(client)) {
      const { dialect } = connection;
      if (dialect?.era === 'legacy') connection.send(text);
      else if (dialect !== undefined && !LEGACY_NOTIFICATIONS.has(notification.method))
        connection.send(text, { 'mcp-protocol-version': dialect.identity.revision, 'mcp-method': notification.method });
    }
  }

  /** @throws FaultError of the attempt to connect; at once while the breaker is open. */
  async acquire(client: Client): Promise<Connection> {
    const present = this.#pool.find(client);
    if (present !== undefined) return present;
    this.#breaker.admit();
    try {
      const connection = await this.#pool.acquire(client);
      this.#breaker.succeeded();
      return connection;
    } catch (error) {
      this.#count(toFault(error), false);
      throw error;
    }
  }

  async identify(client: Client): Promise<UpstreamIdentity> {
    const { dialect } = await this.acquire(client);
    if (dialect === undefined) throw new FaultError('internal', 'The connection has no dialect yet.');
    return dialect.identity;
  }

  release(clientKey: string): void {
    this.#pool.release(clientKey);
    this.following.release(clientKey, this.#pool.connections);
  }

  status(): UpstreamStatus {
    const { supervisor } = this.#options;
    const { name } = this.settings;
    const report = supervisor.report(name);
    const { connections } = this.#pool;
    const spoken = connections[0]?.dialect?.identity.revision;
    return {
      name,
      state: this.#state(),
      ...this.#eras.status(),
      ...(spoken === undefined ? {} : { revision: spoken }),
      connections: connections.length,
      inFlight: this.#turnstile.inside,
      pids: supervisor.pids(name),
      lastError: this.settings.fault ?? (this.#heldFault ?? this.#lastFault ?? this.#authFault)?.forPeople,
      stderr: report?.stderr ?? [],
      noise: report?.noise ?? { count: 0, last: [] },
    };
  }

  #state(): UpstreamStatus['state'] {
    if (this.#closed) return 'stopped';
    if (this.settings.fault !== undefined) return 'broken';
    if (this.#pool.connecting) return 'connecting';
    if (this.#lastFault === undefined && this.#authFault !== undefined) return 'unauthenticated';
    if (this.#pool.size > 0) return 'ready';
    return this.#lastFault === undefined && this.#heldFault === undefined ? 'idle' : 'broken';
  }

  async restart(): Promise<void> {
    const fault = new FaultError('unreachable', `"${this.settings.name}" is being restarted.`);
    this.#counted.add(fault);
    this.#options.supervisor.forgive(this.settings.name);
    this.#breaker.succeeded();
    this.#lastFault = undefined;
    this.#heldFault = undefined;
    this.#reported = undefined;
    await this.#closeConnections(fault);
    if (this.#authFault === undefined) return;
    // Somebody has signed in: what could not be listed is asked for again.
    this.#authFault = undefined;
    this.#options.emit({ kind: 'connected', upstream: this.settings.name });
  }

  /** Finishes what is in flight, then ends. Resolves when nothing of it is left. */
  async retire(): Promise<void> {
    await this.#pool.closeIdle();
    await this.#turnstile.empty();
    await this.close(`"${this.settings.name}" is being closed.`);
  }

  async close(why: string): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnecting);
    this.#closing.abort();
    this.#gate.close();
    this.#pool.close();
    await this.#closeConnections(new FaultError('draining', why));
    await this.#origins.close();
  }

  async #closeConnections(fault: FaultError): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close(fault)));
  }

  // Connecting

  async #connect(client: Client, own: boolean): Promise<Connection> {
    const { settings, supervisor, log, identity, emit } = this.#options;
    if (settings.fault !== undefined)
      throw new FaultError('config', `"${settings.name}" cannot be used. ${settings.fault}`, { isOurs: true });
    const first = !this.#pool.connections.some((connection) => connection.usable);
    try {
      const { connection, transport, missing } = await connect({
        settings,
        supervisor,
        origin: this.#origins.of(client),
        log,
        createConnection: () => this.#createConnection(),
        wanted: client.era,
        capabilities: client.capabilities,
        clientInfo: own ? client.info : { ...identity },
        known: this.#eras.trusted(),
        signal: this.#closing.signal,
      });
      const { dialect } = connection;
      if (dialect !== undefined)
        this.#eras.learn({ era: dialect.era, revision: dialect.identity.revision, transport, missing });
      this.#lastFault = undefined;
      this.#authFault = undefined;
      this.#heldFault = undefined;
      this.#reported = undefined;
      this.#pause = FIRST_PAUSE;
      // Another client's connection to a server that is connected already says nothing new.
      const era = this.#eras.aloneIn(dialect?.era);
      if (first || !own) emit({ kind: 'connected', upstream: settings.name, ...(era === undefined ? {} : { era }) });
      return connection;
    } catch (error) {
      const fault = toFault(error);
      // Tried again and again: one fault is reported once, whatever its times and counts are.
      const kind = `${fault.code} ${fault.message.replace(/\d+/g, '#')}`;
      // "It goes on failing, the next try is in 5 s" adds nothing to what is in the log.
      const isSaid =
        fault.code === 'draining' ||
        fault.code === 'cancelled' ||
        kind === this.#reported ||
        (this.#reported !== undefined && member(fault.data, 'retryAfterMs') !== undefined);
      if (!isSaid) this.#reported = kind;
      if (fault.code === 'upstream_unauthenticated') this.#authFault = fault;
      else if (fault.code === 'denied') this.#heldFault = fault;
      else if (fault.code !== 'draining') this.#lastFault = fault;
      const facts = { upstream: settings.name, code: fault.code, reason: fault.forPeople };
      log[isSaid ? 'debug' : 'warn'](facts, 'Connecting failed');
      throw fault;
    }
  }

  #createConnection(): Connection {
    const { settings, supervisor, log, emit } = this.#options;
    const connection = new Connection({
      settings,
      log,
      emit,
      gate: this.#gate,
      gone: (ended, fault) => this.#gone(ended, fault),
      unreadable: (bytes) => {
        if (settings.transport.type === 'stdio') supervisor.noteNoise(settings.name, bytes);
      },
      strayed: (straying) => this.#strayed(straying),
      eraOf: (one) => this.#eras.aloneIn(one.dialect?.era),
      isUsedBy: (one, client) => this.#pool.findAll(client).includes(one),
    });
    this.#connections.add(connection);
    return connection;
  }

  #strayed(connection: Connection): void {
    this.#pool.stray(connection);
    // Who followed something on the shared connection follows it on another one now.
    for (const client of this.following.followers())
      if (this.#pool.find(client) === undefined) void this.acquire(client).catch(() => {});
  }

  #gone(connection: Connection, fault: FaultError): void {
    this.#connections.delete(connection);
    const key = this.#pool.forget(connection);
    if (key === undefined || this.#closed) return;
    // The end of a child is reported by the supervisor.
    const level = this.settings.transport.type === 'stdio' ? 'debug' : 'info';
    this.#options.log[level]({ upstream: this.settings.name, reason: fault.message }, 'A connection ended');
    const follower = this.following.follower(key);
    if (follower !== undefined) this.#reconnectFor(follower);
  }

  /** Somebody follows something there: updates must come without waiting for the next call. */
  #reconnectFor(client: Client): void {
    clearTimeout(this.#reconnecting);
    this.#reconnecting = setTimeout(() => {
      this.acquire(client).catch(() => {
        if (!this.#closed && this.following.follower(this.#pool.keyOf(client)) !== undefined)
          this.#reconnectFor(client);
      });
    }, this.#pause);
    this.#reconnecting.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}

const NOTHING = () => {};
