import { createHandledTexts, type HandledTexts } from '../call/handled-texts.ts';
import { createPlanDoor } from '../call/planned.ts';
import { isKept } from '../config/plans-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import type { Guard } from '../guard/guard.ts';
import type { HandlePorts } from '../guard/plan/handles.ts';
import type { PlanPorts } from '../guard/plan/plan-guard.ts';
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
/** What looks at arguments for what they are, whoever wrote them. */
const RECHECKED: ReadonlySet<string> = new Set([
  'size-and-shape',
  'argument-schema',
  'argument-safety',
  'secrets-masked',
  'secrets',
]);

/** What decides by the values of arguments. */
const ASKING: ReadonlySet<string> = new Set(['policy', 'sink-floor']);

/** Plans and kept texts, of this process or of all that share them. */
export function openPlans(snapshot: () => Snapshot, memory: Pick<TaintMemory, 'marksOf'>, shared: Shared | undefined) {
  const settings = ({ plans }: Snapshot = snapshot()) => plans;
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
    isUntrusted({ upstream, target }, { taint, plans: kept }) {
      if (taint === undefined || (kept !== undefined && isKept(kept, upstream))) return true;
      return (marksOf(taint, upstream, target) & UNTRUSTED) !== 0;
    },
    hasReadUntrusted: (run, { taint } = snapshot()) =>
      taint === undefined ? undefined : hasReadUntrusted(memory, run),
  };
  return {
    plan,
    planned: createPlanDoor(plan),
    toHandled: (guards: readonly Guard[]): HandledTexts =>
      createHandledTexts({
        settings,
        handles,
        guards: guards.filter(({ name }) => RECHECKED.has(name)),
        asking: guards.filter(({ name }) => ASKING.has(name)),
      }),
  };
}
