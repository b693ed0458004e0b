import type { Access } from '../core/access.ts';
import type { Call } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import type { PolicyDecision, PolicyEngine, UseAction } from './policy/policy-engine.ts';
import type { RecentDecisions } from './policy/recent-decisions.ts';

export interface PolicyPorts {
  /** The policies in force; `undefined`: there are none, and everything is permitted. */
  readonly engine: () => PolicyEngine | undefined;
  /** `shadow`: decisions are noted and stop nothing. */
  readonly mode: () => 'enforce' | 'shadow';
  readonly decisions: RecentDecisions;
  readonly clock: Clock;
  /** Told of a decision that shadow mode did not carry out. */
  readonly onShadow?: ((call: Call, decision: PolicyDecision) => void) | undefined;
}

/** What the policies permit: before the call, and before the result where a policy speaks of results. */
export function policy(ports: PolicyPorts): Guard {
  return {
    name: 'policy',
    request: (call) => decide(ports, call, 'call'),
    readsResult: ({ tool }) => ports.engine()?.readsResult(tool) === true,
    result: (call) => decide(ports, call, 'release'),
  };
}

function decide({ engine, mode, decisions, clock, onShadow }: PolicyPorts, call: Call, action: UseAction): Verdict {
  const enforced = mode() !== 'shadow';
  const decision = enforced ? engine()?.decide(action, call) : tryOut(engine(), action, call);
  decisions.add(call, { at: clock.now(), action, decision, enforced });
  if (decision === undefined || decision.effect === 'allow') return ALLOW;
  if (!enforced) {
    onShadow?.(call, decision);
    return ALLOW;
  }
  const { effect, reason } = decision;
  if (effect === 'ask' && action === 'call') return { kind: 'ask', reason, classes: call.tool.sinks };
  return { kind: 'deny', code: 'denied', reason };
}

/** What fails in shadow mode is noted as the denial it would have been, and stops nothing either. */
function tryOut(engine: PolicyEngine | undefined, action: UseAction, call: Call): PolicyDecision | undefined {
  try {
    return engine?.decide(action, call);
  } catch {
    const reason = 'The policies could not be evaluated.';
    return { effect: 'deny', reason, policies: [], version: engine?.version ?? '' };
  }
}

/** What the policies hide: lists show only what the caller may use. */
export function policyAccess({ engine, mode }: Pick<PolicyPorts, 'engine' | 'mode'>, version: () => number): Access {
  return {
    version: () => (engine() === undefined || mode() === 'shadow' ? undefined : version()),
    mayUse(principal, _endpoint, tool) {
      const policies = engine();
      return policies === undefined || mode() === 'shadow' || policies.maySee(principal, tool);
    },
  };
}
