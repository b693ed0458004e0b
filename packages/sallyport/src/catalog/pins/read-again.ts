import { toDefinition } from './define-item.ts';
import type { Found, Peer } from './inspection.ts';
import { type Peers, toPeers } from './peers.ts';
import type { PinKind, Sighting } from './pin.ts';
import { type Entry, toKey } from './pin-entry.ts';
import { type PinReader, toObject } from './pin-reader.ts';

export interface ReadAgainParts {
  readonly servers: ReadonlyMap<string, ReadonlyMap<PinKind, ReadonlyMap<string, Entry>>>;
  readonly reader: PinReader;
  readonly peers: Peers;
}

/** What was found now, and where it is to be noted before the next one is asked for. */
export type FoundAgain = Sighting & { readonly found: Found; readonly entry: Entry };

/**
 * Reads again what nobody looked at yet, beside the tools that are approved by now: whoever was met first was read beside
 * few. Yields after each definition, with what is to be noted and kept when something else was found.
 */
export function* readAgain({ servers, reader, peers }: ReadAgainParts): Generator<FoundAgain | undefined> {
  for (const [server, kinds] of [...servers]) {
    let beside: readonly Peer[] | undefined;
    for (const [kind, entries] of [...kinds]) {
      if (!reader.isOn(server, kind)) continue;
      for (const [name, entry] of [...entries]) {
        const definition = unreadOf(entry);
        if (definition === undefined) continue;
        beside ??= peers.besideTools(server, ownTools(server, kinds));
        const isApproved = definition.digest === entry.approved;
        const read = reader.read({ server, kind, name }, { definition, entry }, beside);
        // A server that was added is what is suspicious, never what was approved before it came.
        const isKept = isApproved && peers.isSettled({ server, kind, name });
        const found = isKept && read?.version === entry.found.get(definition.digest)?.version ? toShown(read) : read;
        const known = entry.found.get(definition.digest);
        // What is held is released by a person: two that hold each other must not let each other go in turns.
        const isFirm = known?.hold !== undefined && known.version !== '';
        const isRead = found !== undefined && found.version !== '';
        const isNews = isRead && known?.key !== toKey(found) && (!isFirm || found.hold !== undefined);
        yield isNews
          ? {
              server,
              kind,
              name,
              definition: toDefinition(kind, definition.text),
              renamedFrom: undefined,
              approve: false,
              found,
              entry,
            }
          : undefined;
      }
    }
  }
}

/** The same findings, none of which holds anything. */
function toShown(found: Found | undefined): Found | undefined {
  if (found?.hold === undefined) return found;
  const { hold: _hold, ...rest } = found;
  return { ...rest, findings: found.findings.map((one) => ({ ...one, tier: 'review' })) };
}

/** The definition that waits for a person, or that first sight approved; only what was offered here. */
function unreadOf({ met, seen, waitingText, approved, approvedText, isUnread }: Entry) {
  if (seen === undefined || !met.has(seen)) return undefined;
  if (seen !== approved) return waitingText === undefined ? undefined : { digest: seen, text: waitingText };
  return isUnread && approvedText !== undefined ? { digest: seen, text: approvedText } : undefined;
}

function ownTools(server: string, kinds: ReadonlyMap<PinKind, ReadonlyMap<string, Entry>>): readonly Peer[] {
  const texts = [...(kinds.get('tools')?.values() ?? [])].flatMap(
    ({ waitingText, approvedText }) => waitingText ?? approvedText ?? [],
  );
  return toPeers(
    server,
    texts.map((text) => toObject('tools', text)),
  );
}
