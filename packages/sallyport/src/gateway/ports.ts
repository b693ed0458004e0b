import type { CallPorts } from '../call/ports.ts';
import type { Catalog } from '../catalog/contract.ts';
import type { Snapshot } from '../config/settings.ts';
import type { TaskPort } from '../core/upstream-port.ts';
import type { ControlPort } from './control-endpoint.ts';
import type { InFlight } from './in-flight.ts';
import type { Seal } from './seal.ts';

/** What the front needs from the rest of the house. */
export interface GatewayPorts extends CallPorts {
  readonly catalog: Catalog;
  readonly tasks: TaskPort;
  /** The snapshot new requests run under; a request keeps the one it began with. */
  snapshot(): Snapshot;
  readonly seal: Seal;
  readonly inFlight: InFlight;
  /** The text of GET /metrics; left out: there is nothing at that path. */
  readonly metricsText?: (() => string) | undefined;
  /** The REST API, where there is one. */
  readonly control?: ControlPort | undefined;
}
