import type { Snapshot } from '../config/settings.ts';
import type { FrozenSnapshot } from '../core/envelope.ts';

/** The configuration that an envelope carries. */
export function snapshotOf(frozen: FrozenSnapshot): Snapshot {
  return frozen as Snapshot; // True: the gateway makes every envelope under a snapshot of its own, and nobody else makes any.
}
