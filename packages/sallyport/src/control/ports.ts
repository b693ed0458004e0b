import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';

/** What the API shows and does, as the composition root hands it in. */
export interface ControlPorts {
  readonly upstreams: Pick<UpstreamPort, 'status' | 'restart' | 'onEvent'>;
  readonly catalog: Pick<Catalog, 'view' | 'reports' | 'onChange'>;
  readonly version: string;
  /** Whose eyes lists are seen with: an operator's, who declares no capabilities. */
  readonly viewer: Client;
  snapshot(): Snapshot;
}
