import { catalogRoutes } from './catalog-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { policyRoutes } from './policy-routes.ts';
import type { ControlPorts } from './ports.ts';
import type { Route } from './route.ts';
import { serverRoutes } from './server-routes.ts';

/** Every route of the API, in the order of the document. A resource has its routes in a file of its own and a line here. */
export function createRoutes(ports: ControlPorts): readonly Route[] {
  return [...serverRoutes(ports), ...catalogRoutes(ports), ...policyRoutes(ports), ...eventRoutes(ports)];
}
