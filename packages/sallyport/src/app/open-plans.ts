import { createHandledTexts, type HandledTexts } from '../call/handled-texts.ts';
import { isKept } from '../config/plans-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import type { Chains } from '../guard/guard.ts';
import type { HandlePorts } from '../guard/plan/handles.ts';
import type { PlanPorts } from '../guard/plan/plan-guard.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { marksOf } from '../guard/taint/label-source.ts';
import { UNTRUSTED } from '../guard/taint/labels.ts';
import { hasReadUntrusted } from '../guard/taint/taint.ts';
import type { TaintMemory } from '../guard/taint/taint-ports.ts';
import { createHandleMemory } from '../state/handle-memory.ts';
import { createPlanMemory } from '../state/plan-memory.ts';
import { createSharedHandles } from '../state/shared-handles.ts';
import { createSharedPlans } from '../state/shared-plans.ts';
import type { Shared } from './open-shared.ts';

/** Where plans are off, nothing is kept, and the limits do not matter. */
const NO_LIMITS = { minutes: 1, plans: 0, texts: 0, megabytes: 0 };
/** Plans and kept texts, of this process or of all that share them. */
export function openPlans(snapshot: () => Snapshot, memory: Pick<TaintMemory, 'marksOf'>, shared: Shared | undefined) {
  const settings: PlanPorts['settings'] = (frozen) => (frozen === undefined ? snapshot() : snapshotOf(frozen)).plans;
  const limits = () => settings() ?? NO_LIMITS;
  const now = () => performance.now();
  const together = shared && { values: shared.state.values, keys: shared.keys, clock: systemClock };
  const plans =
    together === undefined ? createPlanMemory({ now, limits }) : createSharedPlans({ ...together, now, limits });
  const handles =
    together === undefined ? createHandleMemory({ now, limits }) : createSharedHandles({ ...together, limits });
  const plan: PlanPorts & HandlePorts = {
    ...{ settings, plans, handles },
    now: () => Date.now(),
    isUntrusted({ snapshot: frozen, upstream, target }) {
      const { taint, plans: kept } = snapshotOf(frozen);
      if (taint === undefined || (kept !== undefined && isKept(kept, upstream))) return true;
      return (marksOf(taint, upstream, target) & UNTRUSTED) !== 0;
    },
    hasReadUntrusted: (run) => (snapshot().taint === undefined ? undefined : hasReadUntrusted(memory, run)),
  };
  return { plan, toHandled: (chains: Chains): HandledTexts => createHandledTexts({ settings, handles, chains }) };
}
