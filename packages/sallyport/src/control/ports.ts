import type { Offered } from '../call/offered-items.ts';
import type { Catalog } from '../catalog/contract.ts';
import type { Inspection } from '../catalog/pins/inspection.ts';
import type { ServerSettings, Snapshot } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { Clock } from '../core/clock.ts';
import type { Note } from '../core/note.ts';
import type { TextSeal } from '../core/text-seal.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { Approval } from '../guard/approve/approval.ts';
import type { PlanPorts } from '../guard/plan/plan-guard.ts';
import type { Database } from '../storage/database.ts';
import type { KeptResultStore } from '../storage/kept-results.ts';
import type { AuditReader } from '../telemetry/audit/audit-reader.ts';

/**
 * What the API shows and does, as the composition root hands it in (`app/`): once for a Sallyport that runs, once for a
 * command line beside none. There, what only a running one knows throws `unreachable`.
 */
export interface ControlPorts {
  readonly upstreams: Pick<UpstreamPort, 'status' | 'restart' | 'onEvent'>;
  readonly catalog: Pick<Catalog, 'view' | 'reports' | 'tally' | 'onChange'>;
  readonly version: string;
  readonly clock: Clock;
  /** Whose eyes lists are seen with: an operator's, who declares no capabilities. */
  readonly viewer: Client;
  /** Calls of the audit, the newest first; its index is brought up to date before. @throws FaultError `usage`: it is off. */
  readonly recordedCalls: AuditReader['search'];
  /** The configuration in force. @throws FaultError `config`, beside no running Sallyport. */
  snapshot(): Snapshot;
  /** The same where servers do not matter: what is wrong with one of them does not either. */
  sections(): Snapshot;
  /** The database of this process; closed by whoever opened it. */
  database(): Promise<Database>;
  /** Seals and opens what is kept of calls that people are asked about. */
  texts(): Promise<TextSeal>;
  /** Results in quarantine. */
  kept(): Promise<KeptResultStore>;
  /** Into the audit, before what it says is done. */
  readonly note: Note;
  /** What the record is like now; a trouble is why nothing can be recorded. */
  readonly recording: () => {
    readonly mode: 'strict' | 'batched' | 'off';
    readonly trouble: string | undefined;
    /** False: the last head could not be published. */
    readonly isPublished: boolean;
  };
  /** An approval was answered: calls of this process that wait for it go on at once. */
  readonly heard: (approval: Approval) => void;
  /** Plans of runs. @throws FaultError `unreachable`, beside no running Sallyport. */
  plans(): PlanPorts;
  /** Reads definitions that are locked as they are offered. */
  readonly inspection: Inspection;
  /** What servers offer at this moment, item by item. */
  readonly offered: (
    servers: readonly ServerSettings[],
    signal: AbortSignal,
    /** Server -> the digest of the program it may be started with. Left out: programs are not looked at. */
    programs?: ReadonlyMap<string, string>,
  ) => Promise<readonly Offered[]>;
}
