import type { Log } from '../core/log.ts';
import type { Approval } from '../guard/approve/approval.ts';
import type { ApprovalStore } from '../storage/approvals.ts';

/** Answers come from other processes, too; a waiting call goes on within a second. Milliseconds. */
const LOOK_EVERY_MS = 200;
/** Clocks of two processes on one machine are one clock, but a transaction takes its time. */
const OVERLAP_MS = 5_000;
const MAX_WAITING = 1_000;

export interface WatchPorts {
  readonly store: Pick<ApprovalStore, 'changedSince'>;
  readonly log: Log;
  /** Called for each answer to an approval that is expected, whichever process took it. */
  readonly onAnswered: (approval: Approval) => void;
}

/** One look at the database for all calls that wait and all answers that are expected; none while there are none. */
export class ApprovalWatch {
  readonly #ports: WatchPorts;
  readonly #waiting = new Map<string, Set<(approval: Approval | undefined) => void>>();
  /** Id -> answers that were heard of. */
  readonly #expected = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #closed = false;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  /** False: too many wait, and the call has to come back by itself. */
  get hasRoom(): boolean {
    return this.#size < MAX_WAITING;
  }

  /** Calls back once, when the approval no longer waits, or with `undefined` at the end. Returns how to stop that; idempotent. */
  follow(id: string, onSettled: (approval: Approval | undefined) => void): () => void {
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

  /** Until it is settled, each answer to this approval is reported. Beyond a thousand the oldest is let go. */
  expect({ id, answers }: Approval): void {
    const oldest = this.#expected.size < MAX_WAITING ? undefined : this.#expected.keys().next().value;
    if (oldest !== undefined) this.#expected.delete(oldest);
    this.#expected.set(id, answers.length);
    this.#timer ??= this.#lookLater();
  }

  tell(approval: Approval): void {
    const heard = this.#expected.get(approval.id);
    if (heard !== undefined) {
      if (approval.answers.length > heard) this.#ports.onAnswered(approval);
      if (approval.state === 'waiting') this.#expected.set(approval.id, Math.max(heard, approval.answers.length));
      else this.#expected.delete(approval.id);
    }
    if (approval.state === 'waiting') return;
    for (const follower of [...(this.#waiting.get(approval.id) ?? [])]) follower(approval);
  }

  /** Nobody waits any more: each call is answered with what is to be decided. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const followers of this.#waiting.values()) for (const follower of [...followers]) follower(undefined);
    this.#waiting.clear();
    this.#expected.clear();
  }

  #lookLater(): NodeJS.Timeout {
    const timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS);
    // An answer that is only expected keeps no program alive.
    return this.#size > 0 ? timer : timer.unref();
  }

  async #look(): Promise<void> {
    try {
      for (const approval of await this.#ports.store.changedSince(Date.now() - OVERLAP_MS)) this.tell(approval);
    } catch (error) {
      this.#ports.log.error({ error }, 'the approvals could not be looked at; calls go on waiting');
    }
    const goesOn = !this.#closed && (this.#waiting.size > 0 || this.#expected.size > 0);
    this.#timer = goesOn ? this.#lookLater() : undefined;
  }
}
