import type { ArrivalOf } from '../catalog/pins/peers.ts';
import type { Snapshot } from '../config/settings.ts';

/** Tells which servers came together: all of the first configuration did, those that a reload adds came later. */
export function createArrivalOf(snapshot: () => Snapshot): ArrivalOf {
  let latest: Snapshot | undefined;
  let arrivals: ReadonlyMap<string, number> = new Map();
  return (server) => {
    const now = snapshot();
    if (now !== latest) {
      const known = arrivals;
      latest = now;
      arrivals = new Map([...now.servers.keys()].map((name) => [name, known.get(name) ?? now.version]));
    }
    return arrivals.get(server);
  };
}
