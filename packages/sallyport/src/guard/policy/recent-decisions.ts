import type { Call, Tool } from '../../core/call.ts';
import type { Principal } from '../../core/principal.ts';
import type { PolicyDecision, UseAction } from './policy-engine.ts';

/** One decision, kept for a while so that a person can ask why. Never arguments. */
export interface DecisionRecord {
  readonly callId: string;
  readonly at: number;
  readonly action: UseAction;
  readonly principal: Principal;
  readonly tool: Tool;
  /** `undefined`: no policies were in force. */
  readonly decision: PolicyDecision | undefined;
  /** False in shadow mode: the decision was noted, and the call went on. */
  readonly enforced: boolean;
}

export interface NewDecision {
  readonly at: number;
  readonly action: UseAction;
  readonly decision: PolicyDecision | undefined;
  readonly enforced: boolean;
}

/** The last decisions, the oldest overwritten first. */
export class RecentDecisions {
  readonly #records: (DecisionRecord | undefined)[];
  #next = 0;

  constructor(size = 1_000) {
    this.#records = new Array<DecisionRecord | undefined>(size).fill(undefined);
  }

  add({ id, client, tool }: Call, { at, action, decision, enforced }: NewDecision): void {
    this.#records[this.#next] = { callId: id, at, action, principal: client.principal, tool, decision, enforced };
    this.#next = (this.#next + 1) % this.#records.length;
  }

  /** The newest first. */
  list(): readonly DecisionRecord[] {
    const ordered = [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)];
    return ordered.filter((record) => record !== undefined).reverse();
  }

  find(callId: string): readonly DecisionRecord[] {
    return this.list().filter((record) => record.callId === callId);
  }
}
