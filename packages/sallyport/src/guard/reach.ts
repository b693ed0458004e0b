import type { Envelope, FrozenSnapshot } from '../core/envelope.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';

export interface ReachPorts {
  /** Policies decide now, and what they do not speak of is not permitted. */
  readonly areEnforced: (snapshot: FrozenSnapshot) => boolean;
  /** Do the policies let this caller use anything of the server? */
  readonly reaches: (envelope: Envelope) => boolean | Promise<boolean>;
}

/**
 * What names no tool, resource or prompt, so that no policy speaks of it: notifications, log levels, tasks, unknown methods. It
 * goes to servers that the policies let its caller use.
 */
export function reach({ areEnforced, reaches }: ReachPorts): Guard {
  return {
    name: 'reach',
    kinds: ['task', 'request', 'subscription', 'client_notification'],
    isOn: areEnforced,
    judge(envelope) {
      // What is followed is judged as it is when it is read.
      if (envelope.item !== undefined) return ALLOW;
      const may = reaches(envelope);
      return typeof may === 'boolean' ? toVerdict(may) : may.then(toVerdict);
    },
  };
}

function toVerdict(may: boolean): Verdict {
  return may ? ALLOW : DENIED;
}

const DENIED: Verdict = Object.freeze({
  kind: 'deny',
  code: 'denied',
  reason: 'The policies let this caller use nothing of the server. Tell the user: only the operator can allow it.',
});
