import type { Offered, OfferedItem } from '../call/offered-items.ts';
import type { Inspection } from '../catalog/pins/inspection.ts';
import { toPeers } from '../catalog/pins/peers.ts';
import { FIRST_SIGHT } from '../catalog/pins/pin.ts';
import { isRead } from '../catalog/pins/pin-entry.ts';
import { toObject } from '../catalog/pins/pin-reader.ts';
import type { KnownPin } from './known-pins.ts';

/**
 * Of what servers offer now, that which reading holds and which no person approved: a lock file is an approval, and must
 * not be the way round reading.
 */
export function holdOffered(
  offered: readonly Offered[],
  known: readonly KnownPin[],
  inspection: Inspection,
): readonly OfferedItem[] {
  const approved = new Set(
    known.flatMap(({ pin }) => (pin.approvedBy === FIRST_SIGHT ? [] : [keyOf(pin, pin.approved?.digest)])),
  );
  return offered.flatMap(({ server, items }) => {
    const tools = items.flatMap(({ kind, text }) =>
      kind === 'tools' && text !== undefined ? [toObject(kind, text)] : [],
    );
    const peers = toPeers(server, tools);
    return items.filter((item) => {
      const { kind, name, digest, text } = item;
      if (text === undefined || !isRead(kind) || approved.has(keyOf(item, digest))) return false;
      return inspection.inspect({ server, kind, name, definition: toObject(kind, text) }, peers).hold !== undefined;
    });
  });
}

function keyOf(
  { server, kind, name }: Pick<OfferedItem, 'server' | 'kind' | 'name'>,
  digest: string | undefined,
): string {
  return JSON.stringify([server, kind, name, digest]);
}
