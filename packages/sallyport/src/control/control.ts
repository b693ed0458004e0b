import { DEFAULT_CONTROL } from '../config/control-section.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { type ControlApi, createApi, PREFIX } from './api.ts';
import { toDocument } from './openapi.ts';
import type { ControlPorts } from './ports.ts';
import { createRoutes } from './routes.ts';

/** The control plane: the REST API of one Sallyport. */
export function createControl(ports: ControlPorts, log: Log): ControlApi {
  const roles = () => (ports.sections().control ?? DEFAULT_CONTROL).roles;
  return createApi({ routes: createRoutes(ports), version: ports.version, log, roles });
}

/** The OpenAPI document without a Sallyport: what types and checks are made of. */
export function describeApi(version: string): JsonObject {
  // Ports are used when a route is called, never while the table is made.
  return toDocument(createRoutes({} as ControlPorts), { version, prefix: PREFIX });
}
