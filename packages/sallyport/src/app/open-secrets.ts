import type { Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import type { ArgumentSafetyPorts } from '../guard/argument-safety.ts';
import type { SecretPorts } from '../guard/secrets/secrets.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { believedUser } from '../guard/taint/label-source.ts';
import { createMemoryVault } from '../state/memory-vault.ts';
import { createSharedVault } from '../state/shared-vault.ts';
import type { Shared } from './open-shared.ts';

const SMALL = { minutes: 60, entries: 1_000 };

/** What is looked for in arguments and results, and where masked values wait. */
export function openSecrets(
  snapshot: () => Snapshot,
  shared: Shared | undefined,
): {
  readonly secrets: SecretPorts;
  readonly argumentSafety: ArgumentSafetyPorts;
} {
  const settings: SecretPorts['settings'] = (frozen) => snapshotOf(frozen).secrets;
  const limits = () => snapshot().secrets?.vault ?? SMALL;
  const vault =
    shared === undefined
      ? createMemoryVault({ now: () => performance.now(), limits })
      : createSharedVault({ values: shared.state.values, keys: shared.keys, clock: systemClock, limits });
  return {
    secrets: { settings, vault },
    argumentSafety: {
      settings: (frozen) => snapshotOf(frozen).argumentSafety,
      requestOf: (call) => {
        const { taint } = snapshotOf(call.snapshot);
        return taint === undefined ? undefined : believedUser(call, taint);
      },
    },
  };
}
