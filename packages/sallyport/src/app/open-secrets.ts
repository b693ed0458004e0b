import { toStarterSafety } from '../config/argument-safety-section.ts';
import { toStarterSecrets } from '../config/secrets-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { ArgumentSafetyPorts } from '../guard/argument-safety.ts';
import type { SecretPorts } from '../guard/secrets/secrets.ts';
import { createMemoryVault } from '../state/memory-vault.ts';

const SMALL = { minutes: 60, entries: 1_000 };

/** What is looked for in arguments and results, and where masked values wait. A section of the file counts before a starter set. */
export function openSecrets(snapshot: () => Snapshot): {
  readonly secrets: SecretPorts;
  readonly argumentSafety: ArgumentSafetyPorts;
} {
  const settings = () => {
    const { secrets, policy } = snapshot();
    return secrets ?? toStarterSecrets(policy?.set);
  };
  const vault = createMemoryVault({ now: () => performance.now(), limits: () => settings()?.vault ?? SMALL });
  return {
    secrets: { settings, vault },
    argumentSafety: {
      settings: () => {
        const { argumentSafety, policy } = snapshot();
        return argumentSafety ?? toStarterSafety(policy?.set);
      },
    },
  };
}
