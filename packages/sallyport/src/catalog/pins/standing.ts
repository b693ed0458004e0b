import type { NamedDigest } from './met.ts';
import type { PinKind, PinState } from './pin.ts';
import type { Entry } from './pin-entry.ts';

/** Server -> kind -> how everything of it that was met stands, as one text. */
export type Standing = ReadonlyMap<string, ReadonlyMap<PinKind, string>>;

type Entries = ReadonlyMap<string, ReadonlyMap<PinKind, ReadonlyMap<string, Entry>>>;

export function toStanding(
  servers: Entries,
  stateOf: (server: string, kind: PinKind, item: NamedDigest) => PinState,
): Standing {
  const toText = (server: string, kind: PinKind, entries: ReadonlyMap<string, Entry>) =>
    JSON.stringify(
      [...entries].map(([name, { met }]) => [...met].map((digest) => stateOf(server, kind, { name, digest }))),
    );
  return new Map(
    [...servers].map(([server, kinds]) => [
      server,
      new Map([...kinds].map(([kind, entries]) => [kind, toText(server, kind, entries)])),
    ]),
  );
}

/** Server -> the kinds of which something stands otherwise. */
export function compareStanding(before: Standing, after: Standing): ReadonlyMap<string, readonly PinKind[]> {
  return new Map(
    [...after].map(([server, kinds]) => [
      server,
      [...kinds].filter(([kind, text]) => before.get(server)?.get(kind) !== text).map(([kind]) => kind),
    ]),
  );
}
