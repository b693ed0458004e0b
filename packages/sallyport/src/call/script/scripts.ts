import { randomUUID } from 'node:crypto';
import { FaultError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { mayTake, Shares } from '../../core/shares.ts';
import type { Inbound } from '../inbound.ts';
import { readRun } from '../run-of.ts';

/** A paused script waits for so long: a person who has not answered by then has gone. Milliseconds. */
const PAUSED_MS = 600_000;

interface OpenScript {
  /** Ends it. Idempotent. */
  close(): Promise<void>;
}

/** Lets a script go on for this request. @returns the result of the request */
type GoOn = (given: Inbound) => Promise<JsonObject>;

interface PausedScript {
  readonly goOn: GoOn;
  readonly owner: string;
  readonly expiry: NodeJS.Timeout;
}

/**
 * Every script of this process. Each has a thread of its own, so their number has a bound, of which nobody gets all. One that
 * waits for a person is kept for the caller, the run and the endpoint that it belongs to.
 */
export class Scripts {
  readonly #open = new Map<OpenScript, string>();
  readonly #paused = new Map<string, PausedScript>();
  readonly #shares = new Shares();

  /** @throws FaultError `overloaded` */
  begin<Script extends OpenScript>(make: () => Script, { exchange }: Inbound, atOnce: number): Script {
    const { id } = exchange.client.principal;
    const share = this.#shares.of(id);
    if (!mayTake(share.held, atOnce - this.#open.size))
      throw new FaultError('overloaded', 'Too many scripts run or wait for people. Try again when one has ended.');
    const script = make();
    share.held++;
    this.#open.set(script, id);
    return script;
  }

  /** @returns the id to go on with */
  pause(script: OpenScript, inbound: Inbound, goOn: GoOn): string {
    const id = randomUUID();
    const expiry = setTimeout(() => {
      this.#paused.delete(id);
      void this.end(script);
    }, PAUSED_MS).unref();
    this.#paused.set(id, { goOn, owner: toOwner(inbound), expiry });
    return id;
  }

  /** An id works once. @returns `undefined` for one that is not there, or is not the caller's */
  resume(id: string, inbound: Inbound): GoOn | undefined {
    const found = this.#paused.get(id);
    if (found === undefined || found.owner !== toOwner(inbound)) return undefined;
    clearTimeout(found.expiry);
    this.#paused.delete(id);
    return found.goOn;
  }

  /** Idempotent. */
  async end(script: OpenScript): Promise<void> {
    const owner = this.#open.get(script);
    if (owner !== undefined) this.#shares.of(owner).held--;
    this.#open.delete(script);
    await script.close();
  }

  async close(): Promise<void> {
    for (const { expiry } of this.#paused.values()) clearTimeout(expiry);
    this.#paused.clear();
    await Promise.all([...this.#open.keys()].map((script) => this.end(script)));
  }
}

/**
 * Whoever goes on with it has what it read: the same caller with the same rights, in the same run, whose labels are those of
 * what was read.
 */
function toOwner(inbound: Inbound): string {
  const { id, agent, groups, scopes, attributes } = inbound.exchange.client.principal;
  const rights = [[...groups].sort(), scopes === undefined ? null : [...scopes].sort()];
  const { endpoint } = inbound;
  return JSON.stringify([id, agent ?? null, rights, attributes ?? null, readRun(inbound).run, endpoint]);
}
