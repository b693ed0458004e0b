import { type PolicySettings, policiesOf } from '../../config/policy-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import type { Access } from '../../core/access.ts';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Guard } from '../guard.ts';
import { type OfferDoor, type PolicyPorts, policy, policyAccess, policyOffers } from '../policy.ts';
import { type EnginePorts, type LabelsOf, PolicyEngine, type SinksOf } from './policy-engine.ts';
import { findPrepared, type PreparedPolicies, preparePolicies } from './prepare-policies.ts';

/** The policies in force and everything that asks them. */
export interface PolicyDoor {
  readonly guard: Guard;
  /** Reading resources and getting prompts. */
  readonly offers: OfferDoor;
  readonly access: Access;
  /** Of the policies in force; `undefined`: there are none. Stands on records and binds grants. */
  version(): string | undefined;
  /** Whether what they decide is carried out. */
  mode(): PolicySettings['mode'];
  /**
   * From here on these decide; what was decided before is forgotten.
   * @throws FaultError `internal` for policies that `preparePolicies` did not check.
   */
  use(settings: PolicySettings | undefined): void;
}

export interface DoorPorts {
  /** The effects of a call, those its arguments tell of included. */
  readonly sinksOf: SinksOf;
  /** The marks on the data of a conversation or task. */
  readonly labelsOf: LabelsOf;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The door with the policies of a configuration in force.
 * @throws FaultError `config` for policies that do not pass their checks.
 */
export async function openPolicyDoor(ports: DoorPorts, snapshot: Snapshot): Promise<PolicyDoor> {
  await preparePolicies(snapshot);
  const door = createPolicyDoor(ports);
  door.use(policiesOf(snapshot));
  return door;
}

function createPolicyDoor(given: DoorPorts): PolicyDoor {
  const inForce = new Seat(given);
  const candidate = new Seat(given);
  let mode: PolicySettings['mode'] = 'enforce';
  let changes = 0;
  const ports: PolicyPorts = {
    engine: () => inForce.engine,
    mode: () => mode,
    candidate: () => candidate.engine,
    onTried: (callId, { by, decision, instead, upstream, target }) =>
      given.log.info(
        { callId, upstream, target, ...decision, instead },
        by === 'shadow' ? 'policies in shadow mode would have stopped a call' : 'candidate policies say otherwise',
      ),
  };
  return {
    guard: policy(ports),
    offers: policyOffers(ports),
    access: policyAccess(ports, () => changes),
    version: () => inForce.engine?.version,
    mode: () => mode,
    use(settings) {
      const prepared = settings === undefined ? undefined : findPrepared(settings);
      if (settings !== undefined && prepared === undefined)
        throw new FaultError('internal', 'The policies were not checked before they were put in force.');
      inForce.use(prepared);
      candidate.use(prepared?.candidate);
      mode = settings?.mode ?? 'enforce';
      changes++;
    },
  };
}

/** Where one set of policies sits, or none. The engine stays the same one: it keeps what it knows of tools. */
class Seat {
  readonly #ports: EnginePorts;
  #engine: PolicyEngine | undefined;
  #isTaken = false;

  constructor(ports: EnginePorts) {
    this.#ports = ports;
  }

  get engine(): PolicyEngine | undefined {
    return this.#isTaken ? this.#engine : undefined;
  }

  use(prepared: Omit<PreparedPolicies, 'candidate'> | undefined): void {
    this.#isTaken = prepared !== undefined;
    if (prepared === undefined) return;
    if (this.#engine === undefined) this.#engine = new PolicyEngine(prepared.cedar, prepared.slices, this.#ports);
    else this.#engine.use(prepared.slices);
  }
}
