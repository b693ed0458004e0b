import { randomBytes } from 'node:crypto';
import type { Catalog, ListChange } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import { mayTake, Shares } from '../core/shares.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import { LogRoom } from './event-log.ts';
import type { LegacySession } from './legacy-session.ts';
import { isSameCaller, keepsRights } from './same-caller.ts';

/** Sessions are looked through this often for ones nobody uses any more. Milliseconds, as below. */
const SWEEP_MS = 5_000;
/** And streams for ones whose caller has lost the credential. */
const CHECK_MS = 1_000;

/** Whoever wants to hear of changes behind: sessions and listen streams. */
export interface Follower {
  onUpstreamEvent(event: Parameters<Parameters<UpstreamPort['onEvent']>[0]>[0]): void;
  onListChange(change: ListChange): void;
  readonly principal: Principal;
  /** What this caller was let in with has expired or was revoked: nothing more may reach it. */
  expire(): void;
  /** Sallyport ends: whoever follows on a stream of its own is told. */
  finish?(): void;
}

/** The living sessions and everyone else who follows changes; ends sessions that expire. */
export class SessionStore {
  readonly #sessions = new Map<string, LegacySession>();
  readonly #followers = new Set<Follower>();
  readonly #shares = new Shares();
  readonly #logRoom = new LogRoom();
  readonly #stops: (() => void)[] = [];
  readonly #sweep: NodeJS.Timeout;
  readonly #check: NodeJS.Timeout;

  constructor(ports: {
    upstreams: UpstreamPort;
    catalog: Catalog;
    now(): number;
    idleMs(): number;
    isCurrent(principal: Principal): boolean;
  }) {
    this.#stops.push(
      ports.upstreams.onEvent((event) => {
        for (const follower of this.#followers) follower.onUpstreamEvent(event);
      }),
      ports.catalog.onChange((change) => {
        for (const follower of this.#followers) follower.onListChange(change);
      }),
    );
    this.#sweep = setInterval(() => {
      const oldest = ports.now() - ports.idleMs();
      for (const session of this.#sessions.values()) if (!session.busy && session.lastUsed < oldest) session.close();
    }, SWEEP_MS);
    this.#sweep.unref();
    this.#check = setInterval(() => {
      for (const follower of this.#followers) if (!ports.isCurrent(follower.principal)) follower.expire();
    }, CHECK_MS);
    this.#check.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** 128 random bits: visible ASCII and not guessable (2025-11-25 transports#session-management). */
  newId(): string {
    return randomBytes(16).toString('base64url');
  }

  /**
   * Sessions and streams of one caller leave room for others; the longest idle session of a caller makes room for its next.
   * @throws FaultError `overloaded` when none is idle.
   */
  add(session: LegacySession, limit: number): void {
    this.#makeRoom(session.principal, limit, 'sessions in use');
    this.#sessions.set(session.id, session);
    const leave = this.#enter(session);
    session.events.enter(this.#logRoom, this.#shares.of(session.principal.id));
    const then = session.onClose;
    session.onClose = () => {
      this.#sessions.delete(session.id);
      session.events.leave();
      leave();
      then?.();
    };
  }

  #enter(follower: Follower): () => void {
    const share = this.#shares.of(follower.principal.id);
    share.held++;
    this.#followers.add(follower);
    return () => {
      if (this.#followers.delete(follower)) share.held--;
    };
  }

  /** Where nothing is left at all, the caller that holds the most gives. */
  #makeRoom({ id }: Principal, limit: number, what: string): void {
    const free = () => limit - this.#followers.size;
    const mine = this.#shares.of(id);
    if (mayTake(mine.held, free())) return;
    this.#longestIdle(free() > 0 ? id : this.#shares.largest())?.close();
    if (mayTake(mine.held, free())) return;
    throw new FaultError(
      'overloaded',
      free() > 0
        ? `This caller has ${mine.held} ${what}, and the rest is for others. End one or try again later.`
        : `Sallyport has ${limit} ${what}. End one or try again later.`,
    );
  }

  /** @throws FaultError `session_not_found`, also for a session of somebody else: its existence is not told. */
  get(id: string, principal: Principal): LegacySession {
    const session = this.#sessions.get(id);
    if (session === undefined || !isSameCaller(session.principal, principal)) {
      throw new FaultError(
        'session_not_found',
        'Session not found: it ended, expired, or was never here. Initialize a new one.',
      );
    }
    if (!keepsRights(session.client.principal, principal)) {
      session.close();
      throw new FaultError(
        'session_not_found',
        'Session not found: the rights of the caller changed. Initialize a new one.',
      );
    }
    return session;
  }

  #longestIdle(caller: string | undefined): LegacySession | undefined {
    let found: LegacySession | undefined;
    for (const session of this.#sessions.values())
      if (
        session.principal.id === caller &&
        !session.busy &&
        (found === undefined || session.lastUsed < found.lastUsed)
      )
        found = session;
    return found;
  }

  /** @throws FaultError `overloaded`: streams cost what sessions cost and share their limit. */
  follow(follower: Follower, limit: number): () => void {
    this.#makeRoom(follower.principal, limit, 'sessions and streams');
    return this.#enter(follower);
  }

  close(): void {
    clearInterval(this.#sweep);
    clearInterval(this.#check);
    for (const stop of this.#stops) stop();
    for (const session of this.#sessions.values()) session.close();
    for (const follower of this.#followers) follower.finish?.();
  }
}
