import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { type ControlApi, createApi, PREFIX } from './api.ts';
import { toDocument } from './openapi.ts';
import type { ControlPorts } from './ports.ts';
import { ROLES } from './route.ts';
import { createRoutes } from './routes.ts';

/** A principal has the role its groups are named after. */
const GROUP_ROLES = new Map(ROLES.map((role) => [role, role] as const));

/** The control plane: the REST API of one Sallyport. */
export function createControl(ports: ControlPorts, log: Log): ControlApi {
  return createApi({ routes: createRoutes(ports), version: ports.version, log, roles: () => GROUP_ROLES });
}

/** The OpenAPI document without a Sallyport: what types and checks are made of. */
export function describeApi(version: string): JsonObject {
  // Ports are used when a route is called, never while the table is made.
  return toDocument(createRoutes({} as ControlPorts), { version, prefix: PREFIX });
}
