import type { PolicySettings } from '../../config/policy-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import type { Access } from '../../core/access.ts';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Guard } from '../guard.ts';
import { policy, policyAccess } from '../policy.ts';
import { PolicyEngine, type SinksOf } from './policy-engine.ts';
import { findPrepared, preparePolicies } from './prepare-policies.ts';
import { RecentDecisions } from './recent-decisions.ts';

/** The policies in force and everything that asks them. */
export interface PolicyDoor {
  readonly guard: Guard;
  readonly access: Access;
  readonly decisions: RecentDecisions;
  /** Of the policies in force; `undefined`: there are none. Stands on records and binds grants. */
  version(): string | undefined;
  /**
   * From here on these decide; what was decided before is forgotten.
   * @throws FaultError `internal` for policies that `preparePolicies` did not check.
   */
  use(settings: PolicySettings | undefined): void;
}

export interface DoorPorts {
  /** The effects of a call, those its arguments tell of included. */
  readonly sinksOf: SinksOf;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The door with the policies of a configuration in force.
 * @throws FaultError `config` for policies that do not pass their checks.
 */
export async function openPolicyDoor(ports: DoorPorts, { policy, servers }: Pick<Snapshot, 'policy' | 'servers'>) {
  if (policy !== undefined) await preparePolicies(policy, servers.keys());
  const door = createPolicyDoor(ports);
  door.use(policy);
  return door;
}

function createPolicyDoor({ clock, log, sinksOf }: DoorPorts): PolicyDoor {
  let engine: PolicyEngine | undefined;
  let inForce: PolicyEngine | undefined;
  let mode: PolicySettings['mode'] = 'enforce';
  let changes = 0;
  const decisions = new RecentDecisions();
  const ports = {
    engine: () => inForce,
    mode: () => mode,
    decisions,
    clock,
    onShadow: (call, { effect, reason, policies, version }) =>
      log.info(
        { callId: call.id, upstream: call.tool.upstream, tool: call.tool.name, effect, reason, policies, version },
        'policies in shadow mode would have stopped a call',
      ),
  } satisfies Parameters<typeof policy>[0];
  return {
    guard: policy(ports),
    access: policyAccess(ports, () => changes),
    decisions,
    version: () => inForce?.version,
    use(settings) {
      const prepared = settings === undefined ? undefined : findPrepared(settings);
      if (settings !== undefined && prepared === undefined)
        throw new FaultError('internal', 'The policies were not checked before they were put in force.');
      if (prepared === undefined) inForce = undefined;
      else {
        // Kept when policies are switched off for a while: Cedar never frees the names an engine uses.
        if (engine === undefined) engine = new PolicyEngine(prepared.cedar, prepared.compiled, { clock, sinksOf });
        else engine.use(prepared.compiled);
        inForce = engine;
      }
      mode = settings?.mode ?? 'enforce';
      changes++;
    },
  };
}
