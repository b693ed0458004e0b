import type { ServerSettings, Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { UpstreamIdentity } from '../core/upstream-port.ts';
import type { ListKind, View } from './contract.ts';
import type { Item } from './items.ts';
import type { KnownList } from './known-list.ts';
import type { ServerPins } from './pins/pin-gate.ts';
import type { Sight } from './sight.ts';
import type { SinksOf } from './sinks-of.ts';

/** What one upstream contributes to a view. */
export interface ViewPart {
  readonly server: ServerSettings;
  /** Of its names on the shared endpoint. */
  readonly prefix: string;
  readonly identity: UpstreamIdentity;
  readonly lists: ReadonlyMap<ListKind, KnownList>;
  /** `undefined`: every definition may be used. */
  readonly pins: ServerPins | undefined;
}

/** What a view is made of. */
export interface ViewContent {
  readonly snapshot: Snapshot;
  readonly endpoint: Endpoint;
  readonly sight: Sight;
  /** In file order. */
  readonly parts: readonly ViewPart[];
  readonly unavailable: View['unavailable'];
  readonly version: string;
  readonly clock: Clock;
  readonly sinksOf: SinksOf;
}

/** One item of a merged list. */
export interface Entry {
  readonly part: ViewPart;
  readonly item: Item;
  /** `undefined`: its own name. */
  readonly publicId: string | undefined;
  /** The operator's description in place of the server's. */
  readonly description?: string | undefined;
  /** Why the name does not say which tool is meant. */
  readonly clash?: string | undefined;
}
