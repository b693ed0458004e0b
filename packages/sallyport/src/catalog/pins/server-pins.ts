import { splitCapabilities } from '../../core/declared-capabilities.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { UpstreamIdentity } from '../../core/upstream-port.ts';
import type { Item } from '../items.ts';
import { defineInstructions, defineServerInfo, digestItem } from './define-item.ts';
import type { NamedDigest } from './met.ts';
import type { PinKind, PinState, SaidKind } from './pin.ts';
import type { ServerPins } from './pin-gate.ts';

const NO_HINTS: JsonObject = Object.freeze({});

export interface ServerPinsPorts {
  readonly server: string;
  state(kind: PinKind, item: NamedDigest): PinState;
  why(kind: PinKind, item: NamedDigest): string | undefined;
  whyUnlisted(kind: PinKind, name: string): string | undefined;
  readonly stateOfProgram: () => PinState;
  hasFindings(kind: PinKind, item: NamedDigest & { readonly digest: string }): boolean;
}

/** What is asked of the pins of one server. */
export function createServerPins(ports: ServerPinsPorts): ServerPins {
  const { server, state, why, whyUnlisted, stateOfProgram, hasFindings } = ports;
  const toNamed = (kind: PinKind, item: Item) => ({ name: item.id, digest: digestItem(kind, item) });
  const toSaid = (instructions: string | undefined) => ({ name: '', digest: defineInstructions(instructions).digest });
  const stateOfSaid = (kind: SaidKind, identity: UpstreamIdentity | undefined) => {
    if (kind === 'instructions') return state(kind, toSaid(identity?.instructions));
    const definition = identity === undefined ? undefined : defineServerInfo(identity);
    return definition === undefined ? 'approved' : state(kind, { name: '', digest: definition.digest });
  };
  return Object.freeze({
    stateOfProgram,
    hasFindings: (kind: PinKind, item: Item) => hasFindings(kind, toNamed(kind, item)),
    hasFindingsInInstructions: (instructions: string) => hasFindings('instructions', toSaid(instructions)),
    stateOf: (kind: PinKind, item: Item) => state(kind, toNamed(kind, item)),
    whyHeld: (kind: PinKind, item: Item) => why(kind, toNamed(kind, item)),
    whyUnlistedHeld: whyUnlisted,
    // A server without instructions has none to approve.
    stateOfSaid: (kind: SaidKind, identity: UpstreamIdentity | undefined) =>
      kind === 'instructions' && (identity?.instructions ?? '') === '' ? 'approved' : stateOfSaid(kind, identity),
    release(identity: UpstreamIdentity) {
      const told =
        stateOfSaid('instructions', identity) === 'approved' ? identity : { ...identity, instructions: undefined };
      if (stateOfSaid('serverInfo', identity) === 'approved') return told;
      const { protocol } = splitCapabilities(identity.capabilities);
      return { ...told, serverInfo: { name: server, version: '' }, capabilities: protocol };
    },
    approvedHints: (item: Item) => {
      const hints = member(item.definition, 'annotations');
      return isObject(hints) && state('tools', toNamed('tools', item)) === 'approved' ? hints : NO_HINTS;
    },
  });
}

/** Held, and a person has not decided about it. */
export function isWaiting(state: PinState | undefined): boolean {
  return state !== undefined && state !== 'approved' && state !== 'rejected';
}
