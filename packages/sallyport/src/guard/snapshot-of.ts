import type { Snapshot } from '../config/settings.ts';
import type { Call } from '../core/call.ts';

/**
 * Settings as one snapshot has them. A call brings its own, the one it began with, however long it waits for a person or
 * its server. Left out for what belongs to no call: the snapshot in force.
 */
export type Of<Settings> = (snapshot?: Snapshot) => Settings;

/** The snapshot a call began with: all its guards decide by it. */
export function snapshotOf({ snapshot }: Pick<Call, 'snapshot'>): Snapshot {
  // True: calls are made of an `Inbound` (call/inbound.ts), whose snapshot is whole. core/ knows only its version.
  return snapshot as Snapshot;
}
