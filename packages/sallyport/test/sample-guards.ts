import { DEFAULT_SCAN } from '../src/config/scan-section.ts';
import type { GuardPorts } from '../src/guard/guards.ts';
import { createPrinter } from '../src/guard/taint/fingerprints.ts';
import { createHandleMemory } from '../src/state/handle-memory.ts';
import { createMemoryRates } from '../src/state/memory-rates.ts';
import { createMemoryVault } from '../src/state/memory-vault.ts';
import { createPlanMemory } from '../src/state/plan-memory.ts';
import { createTaintMemory } from '../src/state/taint-memory.ts';

const now = () => 0;
const NO_PLANS = { minutes: 1, plans: 0, texts: 0, megabytes: 0 };
const NO_PRINTS = { printsPerRun: 0, prints: 0, runs: 0, idleMs: 60_000 };

/** What the guards of a gateway need whose doors are all open: each test closes its own. */
export function openGuards(checker: GuardPorts['checker'], closed: Partial<GuardPorts> = {}): GuardPorts {
  const places = { hostOf: () => undefined, names: { lookUp: async () => new Map() } };
  const handles = createHandleMemory({ now, limits: () => NO_PLANS });
  const plans = createPlanMemory({ now, limits: () => NO_PLANS });
  return {
    checker,
    unvalidated: () => 'allow',
    limits: () => ({ bodyBytes: 4 * 1024 * 1024, depth: 64 }),
    rateLimit: {
      limits: () => ({ rules: [], quotas: [] }),
      rates: createMemoryRates({ now }),
      quotas: { take: () => ({ standings: [], refusedBy: undefined }) },
    },
    isVisible: () => true,
    whyHeld: () => undefined,
    whyPageHeld: () => undefined,
    plan: { settings: () => undefined, plans, handles, hasReadUntrusted: () => undefined, now },
    argumentSafety: { settings: () => OFF },
    bindings: { bindings: () => [], access: () => undefined },
    ownKeys: { secrets: () => [], isKey: () => false },
    secrets: {
      settings: () => undefined,
      vault: createMemoryVault({ now, limits: () => ({ minutes: 1, entries: 1 }) }),
    },
    taint: {
      settings: () => undefined,
      memory: createTaintMemory({ now, limits: () => NO_PRINTS }),
      printer: createPrinter(Buffer.alloc(32, 7)),
      sinksOf: () => [],
      isConfigured: () => false,
    },
    policy: { engine: () => undefined, mode: () => 'enforce' },
    reach: { areEnforced: () => false, reaches: () => true },
    sinks: () => undefined,
    asks: () => [],
    sampling: () => [],
    scan: { ...places, settings: () => ({ ...DEFAULT_SCAN, results: 'off' }) },
    resources: { ...places, settings: () => DEFAULT_SCAN.resources, toShown: (uri) => uri },
    ...closed,
  };
}

const OFF = { ...({} as ReturnType<GuardPorts['argumentSafety']['settings']>), enabled: false };
