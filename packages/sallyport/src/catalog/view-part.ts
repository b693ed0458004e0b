import type { ServerSettings } from '../config/settings.ts';
import type { UpstreamIdentity } from '../core/upstream-port.ts';
import type { ListKind } from './contract.ts';
import type { KnownList } from './known-list.ts';

/** What one upstream contributes to a view. */
export interface ViewPart {
  readonly server: ServerSettings;
  /** Of its names on the shared endpoint. */
  readonly prefix: string;
  readonly identity: UpstreamIdentity;
  readonly lists: ReadonlyMap<ListKind, KnownList>;
}
