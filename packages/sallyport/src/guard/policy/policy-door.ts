import { type PolicySettings, policiesOf } from '../../config/policy-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import type { Access } from '../../core/access.ts';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { type OfferDoor, type PolicyPorts, policyAccess, policyOffers } from '../policy.ts';
import { snapshotOf } from '../snapshot-of.ts';
import { type LabelsOf, PolicyEngine, type SinksOf } from './policy-engine.ts';
import { findPrepared, type PreparedPolicies, preparePolicies } from './prepare-policies.ts';

/** The policies of every snapshot that calls still run under, and everything that asks them. */
export interface PolicyDoor {
  /** Of the guard. */
  readonly ports: PolicyPorts;
  /** Reading resources and getting prompts. */
  readonly offers: OfferDoor;
  /** The same object for the same policies. */
  access(snapshot: Snapshot): Access;
  /**
   * Of its policies; `undefined`: there are none. Stands on records and binds grants.
   * @throws FaultError `internal` for policies that `preparePolicies` did not check.
   */
  version(snapshot: Snapshot): string | undefined;
  /** Whether what they decide is carried out. */
  mode(snapshot: Snapshot): PolicySettings['mode'];
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
 * The door, with the policies of the snapshot in force checked.
 * @throws FaultError `config` for policies that do not pass their checks.
 */
export async function openPolicyDoor(ports: DoorPorts, snapshot: Snapshot): Promise<PolicyDoor> {
  await preparePolicies(snapshot);
  return createPolicyDoor(ports);
}

/** What decides under one snapshot. */
interface Seat {
  readonly engine: PolicyEngine | undefined;
  readonly candidate: PolicyEngine | undefined;
  readonly mode: PolicySettings['mode'];
  readonly access: Access;
}

function createPolicyDoor(given: DoorPorts): PolicyDoor {
  // An engine lives as long as a snapshot that names its policies: what a call began with decides about it to its end.
  const seats = new WeakMap<PreparedPolicies, Seat>();
  const empty = toSeat({ engine: undefined, candidate: undefined, mode: 'enforce' }, 0);
  let made = 0;
  const make = (prepared: PreparedPolicies, mode: PolicySettings['mode']): Seat => {
    const engineOf = ({ cedar, slices }: Pick<PreparedPolicies, 'cedar' | 'slices'>) =>
      new PolicyEngine(cedar, slices, given);
    const { candidate } = prepared;
    made++;
    return toSeat({ engine: engineOf(prepared), candidate: candidate && engineOf(candidate), mode }, made);
  };
  const find = (snapshot: Snapshot): Seat => {
    const settings = policiesOf(snapshot);
    if (settings === undefined) return empty;
    const prepared = findPrepared(settings);
    if (prepared === undefined)
      throw new FaultError('internal', 'The policies were not checked before they were put in force.');
    let seat = seats.get(prepared);
    if (seat === undefined) {
      seat = make(prepared, settings.mode);
      seats.set(prepared, seat);
    }
    return seat;
  };
  // Nearly every call runs under the snapshot of the one before.
  let latest: Snapshot | undefined;
  let latestSeat = empty;
  const seatOf = (snapshot: Snapshot): Seat => {
    if (snapshot !== latest) {
      latestSeat = find(snapshot);
      latest = snapshot;
    }
    return latestSeat;
  };
  const ports: PolicyPorts = {
    engine: (frozen) => seatOf(snapshotOf(frozen)).engine,
    mode: (frozen) => seatOf(snapshotOf(frozen)).mode,
    candidate: (frozen) => seatOf(snapshotOf(frozen)).candidate,
    onTried: (callId, { by, decision, instead, upstream, target }) =>
      given.log.info(
        { callId, upstream, target, ...decision, instead },
        by === 'shadow' ? 'policies in shadow mode would have stopped a call' : 'candidate policies say otherwise',
      ),
  };
  return {
    ports,
    offers: policyOffers(ports),
    access: (snapshot) => seatOf(snapshot).access,
    version: (snapshot) => seatOf(snapshot).engine?.version,
    mode: (snapshot) => seatOf(snapshot).mode,
  };
}

function toSeat(deciding: Omit<Seat, 'access'>, number: number): Seat {
  const access = policyAccess({ engine: () => deciding.engine, mode: () => deciding.mode }, () => number);
  return { ...deciding, access };
}
