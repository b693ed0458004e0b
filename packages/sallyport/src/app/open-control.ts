import { askForItems } from '../call/offered-items.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../config/settings.ts';
import type { ControlApi } from '../control/api.ts';
import { createControl } from '../control/control.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { PolicyDoor } from '../guard/policy/policy-door.ts';
import type { Database } from '../storage/database.ts';
import type { OpenAudit } from '../telemetry/audit/audit.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { VERSION } from '../version.ts';
import { NOBODY } from './nobody.ts';

export interface RunningParts {
  readonly upstreams: Upstreams;
  readonly catalog: Catalog;
  readonly policies: PolicyDoor;
  readonly audit: Pick<OpenAudit, 'noteKept'>;
  readonly database: () => Promise<Database>;
  readonly snapshot: () => Snapshot;
  readonly clock: Clock;
  readonly log: Log;
}

/** The API of a Sallyport that runs; `offline-control.ts` makes the one beside none. */
export function openControl({ upstreams, catalog, policies, audit, ...rest }: RunningParts): ControlApi {
  const { database, snapshot, clock, log } = rest;
  return createControl(
    {
      upstreams,
      catalog,
      decisions: policies.decisions,
      version: VERSION,
      viewer: NOBODY,
      clock,
      snapshot,
      sections: snapshot,
      database,
      note: (kind, members) => audit.noteKept(kind, members),
      offered: (servers, signal) => askForItems(servers, { upstreams, client: NOBODY, signal }),
    },
    log,
  );
}
