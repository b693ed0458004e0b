import { randomUUID } from 'node:crypto';
import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { Answer, type Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { mayTake, Shares } from '../core/shares.ts';
import { toRequestDigest } from './request-digest.ts';
import { isSameCaller, keepsRights } from './same-caller.ts';
import type { Seal } from './seal.ts';

/** A call that can wait for its client. */
export interface Parkable {
  readonly parkId: string;
  /** True while a client's connection waits for it. */
  readonly attached: boolean;
  /** Nobody came back. */
  expire(): void;
}

interface ParkedCall<C> {
  readonly call: C;
  readonly principal: Principal;
  readonly digest: string;
  round: number;
  readonly expiry: NodeJS.Timeout;
}

/** A person may take this long to answer a question; then the upstream is told that nobody did. Milliseconds. */
const PARKED_MS = 600_000;
const MAX_PARKED = 10_000;

/**
 * Calls of modern clients that wait for an answer a legacy upstream asked for. The client holds a sealed state; its
 * retry resumes the very call that waits. A state works once: nothing is ever run a second time because of it.
 */
export class Parking<C extends Parkable> {
  readonly #parked = new Map<string, ParkedCall<C>>();
  readonly #shares = new Shares();
  readonly #seal: Seal;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** The state to hand to the client for one round of questions. */
  park(call: C, request: Request, principal: Principal): string {
    let entry = this.#parked.get(call.parkId);
    if (entry === undefined) {
      const share = this.#shares.of(principal.id);
      if (!mayTake(share.held, MAX_PARKED - this.#parked.size))
        throw new FaultError('overloaded', 'Too many calls wait for their clients.');
      const expiry = setTimeout(() => {
        this.release(call);
        call.expire();
      }, PARKED_MS);
      expiry.unref();
      entry = { call, principal, digest: toRequestDigest(request), round: 0, expiry };
      this.#parked.set(call.parkId, entry);
      share.held++;
    }
    entry.round++;
    return this.#seal.seal({ call: call.parkId, round: entry.round, sub: entry.principal.id });
  }

  /**
   * The parked call a request resumes; `undefined` for a request without the state of one.
   * @throws FaultError `invalid_params` for a state that is used up, expired, another principal's or another request's.
   */
  find(request: Request, principal: Principal): C | undefined {
    const state = member(request.params, 'requestState');
    const payload = typeof state === 'string' ? this.#seal.open(state) : undefined;
    const id = payload?.['call'];
    if (payload === undefined || typeof id !== 'string') return undefined;
    const entry = this.#parked.get(id);
    if (entry === undefined || entry.round !== payload['round'] || entry.call.attached) {
      throw new FaultError(
        'invalid_params',
        'This requestState was used or has expired. The call was not repeated; start a new one if that is safe.',
      );
    }
    // A caller who lost a group meanwhile must not be given what it could have before.
    const isOwner = isSameCaller(entry.principal, principal) && keepsRights(entry.principal, principal);
    if (!isOwner || entry.digest !== toRequestDigest(request)) {
      throw new FaultError('invalid_params', 'This requestState belongs to another request.');
    }
    return entry.call;
  }

  release(call: C): void {
    const entry = this.#parked.get(call.parkId);
    if (entry === undefined) return;
    clearTimeout(entry.expiry);
    this.#parked.delete(call.parkId);
    this.#shares.of(entry.principal.id).held--;
  }

  close(): void {
    for (const { call, expiry } of this.#parked.values()) {
      clearTimeout(expiry);
      call.expire();
    }
    this.#parked.clear();
  }
}

export function newParkId(): string {
  return randomUUID();
}

/** The client's responses by question key; only own members count. */
export function inputResponses(request: Request): JsonObject {
  const responses = member(request.params, 'inputResponses');
  return isObject(responses) ? responses : {};
}

/** A client's response as the answer a legacy upstream expects. */
export function toAnswer(response: JsonObject): Answer {
  return Answer.result('0', response);
}
