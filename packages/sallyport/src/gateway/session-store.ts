import { randomBytes } from 'node:crypto';
import type { Catalog, ListChange } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
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

  /** @throws FaultError `overloaded` when `limit` sessions are all in use; the longest idle one makes room. */
  add(session: LegacySession, limit: number): void {
    if (this.#sessions.size >= limit) this.#longestIdle()?.close();
    if (this.#sessions.size >= limit)
      throw new FaultError('overloaded', `Sallyport has ${limit} sessions in use. End one or try again later.`);
    this.#sessions.set(session.id, session);
    this.#followers.add(session);
    const then = session.onClose;
    session.onClose = () => {
      this.#sessions.delete(session.id);
      this.#followers.delete(session);
      then?.();
    };
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

  #longestIdle(): LegacySession | undefined {
    let found: LegacySession | undefined;
    for (const session of this.#sessions.values())
      if (!session.busy && (found === undefined || session.lastUsed < found.lastUsed)) found = session;
    return found;
  }

  /** @throws FaultError `overloaded`: streams cost what sessions cost and share their limit. */
  follow(follower: Follower, limit: number): () => void {
    if (this.#followers.size >= limit)
      throw new FaultError('overloaded', `Sallyport has ${limit} sessions and streams. End one or try again later.`);
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  close(): void {
    clearInterval(this.#sweep);
    clearInterval(this.#check);
    for (const stop of this.#stops) stop();
    for (const session of this.#sessions.values()) session.close();
    for (const follower of this.#followers) follower.finish?.();
  }
}
