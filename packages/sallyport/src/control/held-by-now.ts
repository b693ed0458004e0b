import { Peers, toPeers } from '../catalog/pins/peers.ts';
import { FIRST_SIGHT } from '../catalog/pins/pin.ts';
import { isRead } from '../catalog/pins/pin-entry.ts';
import { toObject } from '../catalog/pins/pin-reader.ts';
import { toProgramOf } from '../config/program-of.ts';
import type { ServerSettings } from '../config/settings.ts';
import { foundOf, type KnownPin } from './known-pins.ts';
import type { ControlPorts } from './ports.ts';

/**
 * Whether reading holds what a server offers, beside the tools that people approved by now. What is kept of it may be older:
 * a rival that was approved a moment ago was not compared yet, and whoever approves one after the other was shown nothing.
 */
export function createHeldByNow(
  known: readonly KnownPin[],
  { inspection, snapshot, clock }: Pick<ControlPorts, 'inspection' | 'snapshot' | 'clock'>,
): (one: KnownPin) => boolean {
  const servers = serversOf(snapshot);
  const peers = new Peers({
    arrival: (server) => (servers.has(server) ? 0 : undefined),
    program: toProgramOf(() => ({ servers })),
    now: () => clock.now(),
  });
  for (const { pin } of known)
    if (pin.kind === 'tools' && pin.approvedBy !== FIRST_SIGHT) peers.set(pin.server, pin.name, pin.approved?.text);
  return ({ pin }) => {
    const found = foundOf(pin);
    if (found === undefined || pin.seen === undefined || !isRead(pin.kind)) return false;
    if (found.hold !== undefined) return true;
    const { server, kind, name, seen, approved } = pin;
    const own = known.flatMap((one) =>
      one.pin.server === server && one.pin.kind === 'tools' && one.pin.seen !== undefined
        ? [toObject('tools', one.pin.seen.text)]
        : [],
    );
    const before =
      approved === undefined || approved.digest === seen.digest ? undefined : toObject(kind, approved.text);
    const read = { server, kind, name, definition: toObject(kind, seen.text), before };
    return inspection.inspect(read, peers.besideTools(server, toPeers(server, own))).hold !== undefined;
  };
}

/** Pins outlive their server. Beside no running Sallyport the file may be one that nobody can read: then none is a rival. */
function serversOf(snapshot: ControlPorts['snapshot']): ReadonlyMap<string, ServerSettings> {
  try {
    return snapshot().servers;
  } catch {
    return new Map();
  }
}
