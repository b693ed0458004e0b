import type { Log } from '../core/log.ts';
import type { Approval } from '../guard/approve/approval.ts';
import type { ApprovalStore } from '../storage/approvals.ts';

/** Answers come from other processes, too; a waiting call goes on within a second. Milliseconds. */
const LOOK_EVERY_MS = 200;
/** Clocks of two processes on one machine are one clock, but a transaction takes its time. */
const OVERLAP_MS = 5_000;
const MAX_WAITING = 1_000;

/** One look at the database for all calls that wait; none while none does. */
export class ApprovalWatch {
  readonly #store: Pick<ApprovalStore, 'changedSince'>;
  readonly #log: Log;
  readonly #waiting = new Map<string, Set<(approval: Approval) => void>>();
  #timer: NodeJS.Timeout | undefined;
  #size = 0;

  constructor(store: Pick<ApprovalStore, 'changedSince'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** False: too many wait, and the call has to come back by itself. */
  get hasRoom(): boolean {
    return this.#size < MAX_WAITING;
  }

  /** Calls back once, when the approval no longer waits. Returns how to stop that; idempotent. */
  follow(id: string, onSettled: (approval: Approval) => void): () => void {
    const followers = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, followers);
    followers.add(onSettled);
    this.#size++;
    this.#timer ??= this.#lookLater();
    return () => {
      if (!followers.delete(onSettled)) return;
      this.#size--;
      if (followers.size === 0) this.#waiting.delete(id);
    };
  }

  tell(approval: Approval): void {
    if (approval.state === 'waiting') return;
    for (const follower of [...(this.#waiting.get(approval.id) ?? [])]) follower(approval);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #lookLater(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_EVERY_MS);
  }

  async #look(): Promise<void> {
    try {
      for (const approval of await this.#store.changedSince(Date.now() - OVERLAP_MS)) this.tell(approval);
    } catch (error) {
      this.#log.error({ error }, 'the approvals could not be looked at; calls go on waiting');
    }
    this.#timer = this.#waiting.size > 0 ? this.#lookLater() : undefined;
  }
}
