import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { UpstreamIdentity } from '../../core/upstream-port.ts';
import type { Item } from '../items.ts';
import { defineInstructions, digestItem } from './define-item.ts';
import type { PinKind, PinState } from './pin.ts';
import type { ServerPins } from './pin-gate.ts';

const NO_HINTS: JsonObject = Object.freeze({});

export interface ServerPinsPorts {
  state(kind: PinKind, item: { readonly name: string; readonly digest: string }): PinState;
  why(kind: PinKind, item: { readonly name: string; readonly digest: string }): string | undefined;
  readonly stateOfProgram: () => PinState;
  hasFindings(kind: PinKind, item: { readonly name: string; readonly digest: string }): boolean;
}

/** What is asked of the pins of one server. */
export function createServerPins({ state, why, stateOfProgram, hasFindings }: ServerPinsPorts): ServerPins {
  const name = (kind: PinKind, item: Item) => ({ name: item.id, digest: digestItem(kind, item) });
  const told = (instructions: string | undefined) => ({ name: '', digest: defineInstructions(instructions).digest });
  return Object.freeze({
    stateOfProgram,
    hasFindings: (kind: PinKind, item: Item) => hasFindings(kind, name(kind, item)),
    hasFindingsInInstructions: (instructions: string) => hasFindings('instructions', told(instructions)),
    stateOf: (kind: PinKind, item: Item) => state(kind, name(kind, item)),
    whyHeld: (kind: PinKind, item: Item) => why(kind, name(kind, item)),
    // Nothing told is nothing to approve.
    stateOfInstructions: (instructions: string | undefined) =>
      (instructions ?? '') === '' ? 'approved' : state('instructions', told(instructions)),
    release: (identity: UpstreamIdentity) =>
      state('instructions', told(identity.instructions)) === 'approved'
        ? identity
        : { ...identity, instructions: undefined },
    approvedHints: (item: Item) => {
      const hints = member(item.definition, 'annotations');
      return isObject(hints) && state('tools', name('tools', item)) === 'approved' ? hints : NO_HINTS;
    },
  });
}

/** Held, and a person has not decided about it. */
export function isWaiting(state: PinState | undefined): boolean {
  return state !== undefined && state !== 'approved' && state !== 'rejected';
}
