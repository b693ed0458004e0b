import type { LateDesk } from '../call/late-desk.ts';
import { askForItems } from '../call/offered-items.ts';
import type { Catalog } from '../catalog/contract.ts';
import { DEFAULT_AUDIT } from '../config/audit-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { ControlApi } from '../control/api.ts';
import { createControl } from '../control/control.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { TextSeal } from '../core/text-seal.ts';
import type { PlanPorts } from '../guard/plan/plan-guard.ts';
import type { Database } from '../storage/database.ts';
import type { KeptResultStore } from '../storage/kept-results.ts';
import type { OpenAudit } from '../telemetry/audit/audit.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { VERSION } from '../version.ts';
import { createInspection } from './inspect-definition.ts';
import { NOBODY } from './nobody.ts';
import { openRecordedCalls } from './recorded-calls.ts';

export interface RunningParts {
  readonly upstreams: Upstreams;
  readonly catalog: Catalog;
  readonly audit: Pick<OpenAudit, 'noteKept' | 'trouble' | 'written' | 'isPublished'>;
  readonly desk: Pick<LateDesk, 'heard'>;
  readonly plan: PlanPorts;
  readonly database: () => Promise<Database>;
  readonly texts: () => Promise<TextSeal>;
  readonly kept: () => Promise<KeptResultStore>;
  readonly snapshot: () => Snapshot;
  readonly clock: Clock;
  readonly log: Log;
}

/** The API of a Sallyport that runs; `offline-control.ts` makes the one beside none. */
export function openControl({ upstreams, catalog, audit, desk, plan, ...rest }: RunningParts): ControlApi {
  const { database, texts, kept, snapshot, clock, log } = rest;
  return createControl(
    {
      upstreams,
      catalog,
      recordedCalls: openRecordedCalls(rest, () => audit.written()),
      version: VERSION,
      viewer: NOBODY,
      clock,
      snapshot,
      sections: snapshot,
      database,
      texts,
      kept,
      note: (kind, members) => audit.noteKept(kind, members),
      recording: () => ({
        mode: (snapshot().audit ?? DEFAULT_AUDIT).mode,
        trouble: audit.trouble(),
        isPublished: audit.isPublished(),
      }),
      heard: desk.heard,
      plans: () => plan,
      inspection: createInspection(),
      offered: (servers, signal, programs) => askForItems(servers, { upstreams, client: NOBODY, signal, programs }),
    },
    log,
  );
}
