import { approvalRoutes } from './approval-routes.ts';
import { auditFileRoutes } from './audit-file-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { catalogRoutes } from './catalog-routes.ts';
import { driftRoutes } from './drift-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { findingRoutes } from './finding-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { limitRoutes } from './limit-routes.ts';
import { pinLockRoutes } from './pin-lock-routes.ts';
import { pinRoutes } from './pin-routes.ts';
import { planRoutes } from './plan-routes.ts';
import { policyRoutes } from './policy-routes.ts';
import type { ControlPorts } from './ports.ts';
import { resultRoutes } from './result-routes.ts';
import type { Route } from './route.ts';
import { serverRoutes } from './server-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { tokenRoutes } from './token-routes.ts';

/** Every route of the API, in the order of the document. A resource has its routes in a file of its own and a line here. */
export function createRoutes(ports: ControlPorts): readonly Route[] {
  return [
    ...serverRoutes(ports),
    ...signInRoutes(ports),
    ...catalogRoutes(ports),
    ...keyRoutes(ports),
    ...pinRoutes(ports),
    ...pinLockRoutes(ports),
    ...findingRoutes(ports),
    ...policyRoutes(ports),
    ...planRoutes(ports),
    ...approvalRoutes(ports),
    ...grantRoutes(ports),
    ...resultRoutes(ports),
    ...auditRoutes(ports),
    ...auditFileRoutes(ports),
    ...limitRoutes(ports),
    ...tokenRoutes(ports),
    ...healthRoutes(ports),
    ...driftRoutes(ports),
    ...eventRoutes(ports),
  ];
}
