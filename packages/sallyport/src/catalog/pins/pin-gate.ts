import type { JsonObject } from '../../core/json.ts';
import type { UpstreamIdentity } from '../../core/upstream-port.ts';
import type { AnnouncedList } from '../contract.ts';
import type { Item } from '../items.ts';
import type { KnownList } from '../known-list.ts';
import type { PinKind, PinState, SaidKind } from './pin.ts';

/** What one server offers at the moment to some client. */
export interface Offer {
  /** `undefined`: it did not say anything yet. */
  readonly identity: UpstreamIdentity | undefined;
  readonly lists: Iterable<KnownList>;
}

/** Why the items of one server are held; another object as soon as an answer may be another one. */
export interface ServerPins {
  whyHeld(kind: PinKind, item: Item): string | undefined;
  /** The same of a name that the server does not list. */
  whyUnlistedHeld(kind: PinKind, name: string): string | undefined;
  /** Where a definition stands. */
  stateOf(kind: PinKind, item: Item): PinState;
  /** Where what its command runs stands; held, it is not started. */
  stateOfProgram(): PinState;
  /** Of what it says once, by its kind. */
  stateOfSaid(kind: SaidKind, identity: UpstreamIdentity | undefined): PinState;
  /** Whether reading the definition found something in it. */
  hasFindings(kind: PinKind, item: Item): boolean;
  hasFindingsInInstructions(instructions: string): boolean;
  /** Without what is held of it: of capabilities the flags of the protocol stay. The same object where nothing is held. */
  release(identity: UpstreamIdentity): UpstreamIdentity;
  /** The annotations of an approved tool. */
  approvedHints(item: Item): JsonObject;
}

/** Told which lists of which server are other ones now that decisions are. */
export type PinListener = (server: string, lists: readonly AnnouncedList[]) => void;

/** What stands between the lists of servers and those who see them. */
export interface PinGate {
  /** Looks at everything a server offers before any of it is shown, one definition a step. What was looked at costs next to nothing. */
  look(server: string, offer: Offer): Generator<undefined, void>;
  of(server: string): ServerPins;
  onChange(listener: PinListener): () => void;
}
