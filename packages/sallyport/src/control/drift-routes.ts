import { toItemName } from '../catalog/pins/pin.ts';
import { pinOwnerOf } from '../config/pins-section.ts';
import type { JsonObject } from '../core/json.ts';
import { createPinStore } from '../storage/pins.ts';
import { countFound } from './finding-view.ts';
import { foundOf, isPending, type KnownPin, keyOf, readPins } from './known-pins.ts';
import { createPolling } from './polling.ts';
import type { ControlPorts } from './ports.ts';
import type { Route } from './route.ts';

/** Between two looks; milliseconds. */
const LOOK_EVERY_MS = 500;

/** Definitions that changed, and what was decided about them. */
export function driftRoutes(ports: ControlPorts): readonly Route[] {
  let revision = 0;
  const polling = createPolling(async (isFirst): Promise<readonly KnownPin[]> => {
    const store = createPinStore(await ports.database(), pinOwnerOf(ports.sections()));
    const changed = await store.read(isFirst ? 0 : revision);
    revision = changed.revision;
    if (changed.pins.length === 0) return [];
    const { known } = await readPins(ports);
    if (isFirst) return known.filter(isPending);
    const keys = new Set(changed.pins.map((pin) => keyOf({ pin, state: 'new' })));
    return known.filter((one) => keys.has(keyOf(one)));
  }, LOOK_EVERY_MS);
  return [
    {
      method: 'GET',
      path: '/drift/events',
      id: 'followDrift',
      summary: 'First every definition that waits for a decision, then each that changes or is decided about',
      role: 'viewer',
      handle: () => ({
        follow(emit) {
          const told = new Map<string, string>();
          const tell = (one: KnownPin): void => {
            const now = toEvent(one);
            const key = keyOf(one);
            if (told.get(key) === JSON.stringify(now)) return;
            told.set(key, JSON.stringify(now));
            emit(isPending(one) ? 'held' : 'decided', now);
          };
          const unfollow = polling.follow((pins) => pins.forEach(tell));
          // Whoever joins others who follow hears first what waits.
          readPins(ports).then(
            ({ known }) => known.filter(isPending).forEach(tell),
            () => undefined,
          );
          return unfollow;
        },
      }),
    },
  ];
}

function toEvent({ pin, state }: KnownPin): JsonObject {
  return {
    server: pin.server,
    item: toItemName(pin.kind, pin.name),
    state,
    digest: pin.seen?.digest ?? null,
    approved: pin.approved?.digest ?? null,
    found: countFound(foundOf(pin)),
  };
}
