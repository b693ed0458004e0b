import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { mayTake } from '../core/shares.ts';
import type { Connection } from './connection.ts';
import { connectionKey, isOwn } from './connection-key.ts';
import type { LearnedEras } from './learned-eras.ts';

export interface PoolOptions {
  readonly settings: ServerSettings;
  readonly eras: LearnedEras;
  /** Makes a connection on behalf of a client, and learns of its era; `own`: it will serve this client alone, as far as can be foreseen. */
  readonly connect: (client: Client, own: boolean) => Promise<Connection>;
  /** A connection is ready for use under `key`; what it needs (subscriptions, log level) is sent before anyone gets it. */
  readonly ready: (connection: Connection, key: string) => Promise<void>;
  /** Something follows this connection although no request is in flight: it must not be stopped. */
  readonly wanted: (key: string) => boolean;
}

/** Connections of one upstream: clients of a modern front would otherwise add one each without end. */
const MAX_CONNECTIONS = 80;
/** Requests of one client that each need a connection to themselves. */
const MAX_LEASES = 4;
const MAX_WAITING = 256;

/** A connection held for one request; `done` gives it back. */
export interface Lease {
  readonly connection: Connection;
  readonly done: () => void;
}

const NOTHING = () => {};

/** The connections of one upstream: who shares which, made when needed, stopped when idle. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #ready = new Map<string, Connection>();
  readonly #connecting = new Map<string, { readonly attempt: Promise<void>; readonly client: Client }>();
  readonly #leased = new Set<Connection>();
  readonly #waiting = new Set<() => void>();
  readonly #idleTimers = new Map<Connection, NodeJS.Timeout>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#ready.size;
  }

  get connecting(): boolean {
    return this.#connecting.size > 0;
  }

  get connections(): readonly Connection[] {
    return [...this.#ready.values()];
  }

  keyOf(client: Client): string {
    const { settings, eras } = this.#options;
    return connectionKey(settings, eras.serving(client.era), client);
  }

  /** The connection this client would use, if it is there. */
  find(client: Client): Connection | undefined {
    const connection = this.#ready.get(this.keyOf(client));
    return connection?.usable ? connection : undefined;
  }

  /** All connections this client uses, leased ones included. */
  findAll(client: Client): readonly Connection[] {
    const key = this.keyOf(client);
    const keys = [key, ...Array.from({ length: MAX_LEASES - 1 }, (_, index) => leaseKey(key, index + 1))];
    return keys.map((each) => this.#ready.get(each)).filter((connection) => connection !== undefined);
  }

  /** @throws FaultError of the attempt to connect. */
  async acquire(client: Client): Promise<Connection> {
    // The first attempt may be another client's, and the second only find out which connection is the right one.
    for (let attempt = 0; attempt < 4; attempt++) {
      const present = this.find(client);
      if (present !== undefined) return present;
      await this.#connect(this.keyOf(client), client);
    }
    throw new FaultError(
      'unreachable',
      `"${this.#options.settings.name}" ends its connections as soon as they are made.`,
    );
  }

  /** True when the request must have a connection to itself: the only way to know whose question an upstream asks. */
  needsLease(exchange: Exchange): boolean {
    if (exchange.exclusive !== true) return false;
    const { settings, eras } = this.#options;
    const knowledge = eras.serving(exchange.client.era);
    return typeof knowledge !== 'string' && knowledge.era === 'legacy' && isOwn(settings, knowledge, exchange.client);
  }

  async lease(exchange: Exchange): Promise<Lease> {
    const { client } = exchange;
    const deadline = performance.now() + this.#options.settings.timeoutMs;
    while (performance.now() < deadline) {
      if (exchange.cancelled) throw new FaultError('cancelled', 'The client cancelled the request.');
      if (!this.needsLease(exchange)) {
        const connection = await this.acquire(client);
        // The first connection may have shown that sharing will not do.
        if (this.needsLease(exchange)) continue;
        return { connection, done: NOTHING };
      }
      const key = this.keyOf(client);
      const free = this.#freeLease(key);
      if (typeof free === 'object') return this.#take(free);
      if (free !== undefined) await this.#connect(free, client);
      else await this.#waitForLease(deadline - performance.now(), exchange);
    }
    throw new FaultError(
      'overloaded',
      `All ${MAX_LEASES} connections of this client to "${this.#options.settings.name}" are taken. Try again later.`,
    );
  }

  /** A free connection, the key of one that may be made, or nothing. */
  #freeLease(key: string): Connection | string | undefined {
    let missing: string | undefined;
    for (let index = 0; index < MAX_LEASES; index++) {
      const each = leaseKey(key, index);
      const connection = this.#ready.get(each);
      // Lists and subscriptions in flight are nobody's to be asked through: they must not move a client's next call to
      // another child, where what its last call did has not happened.
      if (connection?.usable && !this.#leased.has(connection)) return connection;
      if (!connection?.usable && !this.#connecting.has(each)) missing ??= each;
    }
    return missing;
  }

  #take(connection: Connection): Lease {
    this.#leased.add(connection);
    return {
      connection,
      done: () => {
        this.#leased.delete(connection);
        const [next] = this.#waiting;
        next?.();
      },
    };
  }

  #waitForLease(milliseconds: number, exchange: Exchange): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new FaultError('overloaded', `"${this.#options.settings.name}" is busy. Try again later.`));
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        exchange.onCancel = undefined;
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      exchange.onCancel = wake;
      this.#waiting.add(wake);
    });
  }

  #connect(key: string, client: Client): Promise<void> {
    const running = this.#connecting.get(key);
    if (running !== undefined) return running.attempt;
    const attempt = this.#make(key, client).finally(() => this.#connecting.delete(key));
    this.#connecting.set(key, { attempt, client });
    return attempt;
  }

  async #make(key: string, client: Client): Promise<void> {
    const { settings, connect, ready, eras } = this.#options;
    if (this.#closed) throw new FaultError('unreachable', `"${settings.name}" was removed or changed.`);
    this.#makeRoom(client);
    const isForOne = () => {
      const known = eras.serving(client.era);
      const transport = settings.transport.type === 'stdio' ? 'stdio' : 'http';
      return isOwn(settings, typeof known === 'string' ? { era: 'legacy', transport, strays: false } : known, client);
    };
    const connection = await connect(client, isForOne());
    connection.madeFor = client;
    await ready(connection, this.#rightKey(key, client));
    // Anew: the server may have asked meanwhile, and shown that sharing will not do.
    const right = this.#rightKey(key, client);
    connection.owner = isForOne() ? client.key : undefined;
    if (this.#closed || this.#ready.get(right)?.usable) {
      await connection.close();
      return;
    }
    if (!connection.usable) return;
    this.#ready.set(right, connection);
    this.#watchIdle(connection, right);
  }

  /** What the connection turned out to be decides where it belongs. */
  #rightKey(key: string, client: Client): string {
    const base = this.keyOf(client);
    return toBase(key) === base ? key : base;
  }

  /** A connection ended, for whatever reason. Returns the key it had. */
  forget(connection: Connection): string | undefined {
    clearTimeout(this.#idleTimers.get(connection));
    this.#idleTimers.delete(connection);
    this.#leased.delete(connection);
    const key = this.#keyHeldBy(connection);
    if (key !== undefined) this.#ready.delete(key);
    const [next] = this.#waiting;
    next?.();
    return key;
  }

  /** The upstream asks outside of requests: from now on clients that can be asked get connections of their own. */
  stray(connection: Connection): void {
    const { eras } = this.#options;
    if (eras.strays) return;
    eras.stray();
    const key = this.#keyHeldBy(connection);
    const owner = connection.soleUser;
    if (key === undefined) return;
    this.#ready.delete(key);
    if (owner !== undefined) {
      connection.owner = owner;
      this.#ready.set(`client:${owner}`, connection);
    } else void connection.retire();
  }

  /** A client is gone. */
  release(clientKey: string): void {
    for (const [key, { attempt }] of this.#connecting) {
      // A child that starts for nobody would run until Sallyport ends.
      if (toBase(key) === `client:${clientKey}`) void attempt.then(() => this.release(clientKey), NOTHING);
    }
    for (const [key, connection] of this.#ready) {
      if (connection.owner !== clientKey) continue;
      this.#ready.delete(key);
      void connection.close(new FaultError('cancelled', 'The client is gone.'));
    }
  }

  /** Connections that nobody uses end now. */
  async closeIdle(): Promise<void> {
    await Promise.all(
      this.connections.filter((connection) => !connection.busy).map((connection) => connection.close()),
    );
  }

  /** No connection is made any more. */
  close(): void {
    this.#closed = true;
  }

  #keyHeldBy(connection: Connection): string | undefined {
    for (const [key, each] of this.#ready) if (each === connection) return key;
    return undefined;
  }

  /** The longest idle connection goes: one of the same caller where it holds its share, so that none ends another's. */
  #makeRoom({ principal }: Client): void {
    const isOfCaller = (client: Client | undefined) => client?.principal.id === principal.id;
    // One that is idle and retired is gone in a moment.
    const present = [...this.#ready].filter(([, { usable }]) => usable);
    const own = present.filter(([, { owner, madeFor }]) => owner !== undefined && isOfCaller(madeFor));
    const starting = [...this.#connecting.values()];
    const held = own.length + starting.filter(({ client }) => isOfCaller(client)).length;
    if (mayTake(held, MAX_CONNECTIONS - present.length - starting.length)) return;
    const idle = (own.length > 0 ? own : present).filter(
      ([key, connection]) => !connection.busy && !this.#options.wanted(key),
    );
    const oldest = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)[0]?.[1];
    if (oldest === undefined)
      throw new FaultError(
        'overloaded',
        `"${this.#options.settings.name}" has ${held} busy connections of this caller. Try again later.`,
      );
    void oldest.retire();
  }

  #watchIdle(connection: Connection, key: string): void {
    const { settings, wanted } = this.#options;
    const { idleMs } = settings;
    if (settings.transport.type !== 'stdio' || idleMs <= 0) return;
    const look = () => {
      const left = connection.usedAt + idleMs - performance.now();
      if (left <= 1 && !connection.busy && !this.#leased.has(connection) && !wanted(key)) void connection.retire();
      else this.#idleTimers.set(connection, setTimeout(look, Math.max(left, 100)).unref());
    };
    this.#idleTimers.set(connection, setTimeout(look, idleMs).unref());
  }
}

/** The key without the number of its lease. */
function toBase(key: string): string {
  return key.replace(/^\d\|/, '');
}

function leaseKey(key: string, index: number): string {
  // In front: whatever a client's key holds, it cannot look like another client's lease.
  return index === 0 ? key : `${index}|${key}`;
}
