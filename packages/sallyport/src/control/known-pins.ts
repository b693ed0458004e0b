import { createHash } from 'node:crypto';
import { compareDefinitions, type Difference } from '../catalog/pins/compare.ts';
import type { Found } from '../catalog/pins/inspection.ts';
import { toItem } from '../catalog/pins/lock-file.ts';
import { FIRST_SIGHT, judge, type Pin, type PinRules, type PinState, toItemName } from '../catalog/pins/pin.ts';
import { type PinSettings, pinOwnerOf, pinsOf } from '../config/pins-section.ts';
import { DEFAULT_SCAN, scanOf } from '../config/scan-section.ts';
import { FaultError } from '../core/errors.ts';
import { loadLockFile } from '../storage/open-pins.ts';
import { createPinStore, type PinStore } from '../storage/pins.ts';
import type { ControlPorts } from './ports.ts';

/** A pin and where what its server offered last stands. */
export interface KnownPin {
  readonly pin: Pin;
  readonly state: PinState;
}

export interface Pins {
  readonly store: PinStore;
  readonly settings: PinSettings;
  /** In the order of servers and items. */
  readonly known: readonly KnownPin[];
}

/** What is kept of all definitions. @throws FaultError `config`. */
export async function readPins({ sections, database }: Pick<ControlPorts, 'sections' | 'database'>): Promise<Pins> {
  const snapshot = sections();
  const settings = pinsOf(snapshot);
  const rules: PinRules = {
    mode: settings.mode,
    inspection: (server) => scanOf(snapshot.scan ?? DEFAULT_SCAN, server).definitions,
    // Without a lock file nothing is approved, and the list says so.
    lock: settings.mode === 'locked' ? await loadLockFile(settings.lockFile).catch(() => undefined) : undefined,
  };
  const store = createPinStore(await database(), pinOwnerOf(snapshot));
  const { pins } = await store.read();
  const known = pins
    .filter(({ kind, seen, approved }) => kind !== 'instructions' || (seen ?? approved)?.text !== '""')
    .map((pin) => (rules.inspection?.(pin.server) === 'off' ? { ...pin, found: undefined } : pin))
    .map((pin) => ({ pin, state: stateOf(pin, rules) }));
  known.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return { store, settings, known };
}

function stateOf(pin: Pin, rules: PinRules): PinState {
  const { server, kind, name, rejected, found } = pin;
  const digest = (pin.seen ?? pin.approved)?.digest ?? '';
  const hold = found?.digest === digest ? found.hold : undefined;
  const isUnread = pin.approvedBy === FIRST_SIGHT;
  return judge(rules, { server, kind, name, approved: pin.approved?.digest, rejected, isUnread, hold }, digest);
}

/** One text for each pin, in the order of lists. */
export function keyOf({ pin }: KnownPin): string {
  return `${pin.server}\n${toItemName(pin.kind, pin.name)}`;
}

/**
 * The pins of a server, or those an item's name means: `search`, `tools/search`, `instructions`.
 * @throws FaultError `not_found`, `usage`.
 */
export function selectPins(
  known: readonly KnownPin[],
  server: string | null,
  item: string | null,
): readonly KnownPin[] {
  const ofServer = server === null ? known : known.filter(({ pin }) => pin.server === server);
  if (server !== null && ofServer.length === 0) {
    const names = [...new Set(known.map(({ pin }) => pin.server))].join(', ');
    throw new FaultError(
      'not_found',
      `Nothing is known of a server "${server}".${names === '' ? ' Start Sallyport first: it looks at what servers offer.' : ` Known: ${names}.`}`,
    );
  }
  if (item === null) return ofServer;
  const named = toItem(item);
  const exact = ofServer.filter(({ pin }) => pin.kind === named?.kind && pin.name === named.name);
  const found = exact.length > 0 ? exact : ofServer.filter(({ pin }) => pin.name === item);
  if (found.length === 0)
    throw new FaultError(
      'not_found',
      `${server === null ? 'No server has' : `"${server}" has no`} ${item}. "sallyport pin list" shows what there is.`,
    );
  if (found.length > 1 && server !== null) {
    const names = found.map(({ pin }) => toItemName(pin.kind, pin.name)).join(' or ');
    throw new FaultError('usage', `Several items are called ${item}: write ${names}.`);
  }
  return found;
}

/** Held, and offered: what a person has to decide about. */
export function isPending({ pin, state }: KnownPin): boolean {
  return state !== 'approved' && state !== 'rejected' && pin.seen !== undefined;
}

/** What is offered beside what was approved; for a rename, beside what the item was approved as before. */
export function differenceOf({ pin, state }: KnownPin, known: readonly KnownPin[]): Difference {
  const source = known.find(
    (one) => one.pin.server === pin.server && one.pin.kind === pin.kind && one.pin.name === pin.renamedFrom,
  );
  // First sight approved what is held now for what reading found: nobody has seen any of it.
  const approved = state === 'new' ? undefined : pin.approved;
  const isRename = pin.approved === undefined && source?.pin.approved !== undefined;
  return compareDefinitions({
    kind: pin.kind,
    before: (isRename ? source.pin.approved : approved)?.text,
    after: pin.seen?.text ?? 'null',
    otherTools: known.filter((one) => one.pin.kind === 'tools').map((one) => one.pin.name),
    renamedFrom: isRename ? pin.renamedFrom : undefined,
    found: foundOf(pin),
  });
}

/** What was found in what the server offered last; `undefined`: it was not read. */
export function foundOf({ found, seen }: Pin): Found | undefined {
  return found !== undefined && found.digest === seen?.digest ? found : undefined;
}

/** Stands for exactly these definitions: who names it approves what was shown, and nothing that came after. */
export function digestShown(shown: readonly KnownPin[]): string {
  const lines = shown.map((one) => `${keyOf(one)}\n${one.pin.seen?.digest ?? ''}`);
  return createHash('sha256').update(lines.sort().join('\n\n')).digest('hex').slice(0, 16);
}
