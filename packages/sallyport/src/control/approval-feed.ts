import type { Clock } from '../core/clock.ts';
import type { Approval } from '../guard/approve/approval.ts';
import type { ApprovalStore } from '../storage/approvals.ts';
import { createPolling } from './polling.ts';

/** `asked`: it waits and nobody has answered; `noted`: one of two people has; else how it stands now. */
export type ApprovalEvent = 'asked' | 'noted' | 'allowed' | 'denied' | 'expired';

type Listener = (event: ApprovalEvent, approval: Approval) => void;

/** Between two looks; milliseconds. */
const LOOK_EVERY_MS = 250;
/** An answer written just before may show only after its transaction. */
const OVERLAP_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** All approvals that wait, then what becomes of them and of others, whichever process asks and answers. */
export function createApprovalFeed(
  open: () => Promise<Pick<ApprovalStore, 'list' | 'changedSince'>>,
  clock: Clock,
): { follow(listener: Listener): () => void } {
  const polling = createPolling(async () => {
    const since = clock.now() - OVERLAP_MS;
    return (await open()).changedSince(since);
  }, LOOK_EVERY_MS);
  return {
    follow(listener) {
      const began = clock.now();
      const told = new Map<string, number>();
      const tell = (approval: Approval): void => {
        if (told.get(approval.id) === approval.updatedAt) return;
        // What was answered before anybody followed is no news.
        if (!told.has(approval.id) && approval.state !== 'waiting' && approval.updatedAt < began) return;
        if (told.size >= MAX_REMEMBERED) told.delete(told.keys().next().value ?? '');
        told.set(approval.id, approval.updatedAt);
        listener(toEvent(approval), approval);
      };
      let stopped = false;
      const unfollow = polling.follow((changed) => changed.forEach(tell));
      open()
        .then((store) => store.list({ state: 'waiting', limit: 1_000 }))
        .then((waiting) => {
          if (!stopped) for (const approval of [...waiting].reverse()) tell(approval);
        })
        // Those who follow hear of what changes; a list that cannot be read says so to whoever asks for it.
        .catch(() => undefined);
      return () => {
        stopped = true;
        unfollow();
      };
    },
  };
}

function toEvent({ state, answers }: Approval): ApprovalEvent {
  if (state !== 'waiting') return state;
  return answers.length === 0 ? 'asked' : 'noted';
}
