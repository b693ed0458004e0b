import type { ToolIndexes } from '../catalog/search/tool-indexes.ts';
import type { Audit } from '../core/audit.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { Chains } from '../guard/guard.ts';
import type { OfferDoor } from '../guard/policy.ts';
import type { KeptResults } from '../guard/scan/results/kept-result.ts';
import type { CallLog } from '../telemetry/call-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/traces.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { HandledTexts } from './handled-texts.ts';
import type { LargeResults } from './large-results.ts';
import type { MaskedValues } from './masked-values.ts';
import type { Scripts } from './script/scripts.ts';
import type { TaskOwners } from './task-owners.ts';
import type { TokenMeter } from './token-meter.ts';

/** What the lives of messages need from the rest of the program. */
export interface CallPorts {
  readonly upstreams: UpstreamPort;
  /** Every guard, by the kind of message and the snapshot. */
  readonly chains: Chains;
  readonly offers: OfferDoor;
  /** Where messages wait for people. */
  readonly desk: Pick<ApprovalDesk, 'settle'>;
  /** Results in quarantine that a person released. */
  readonly keptResults: Pick<KeptResults, 'take'>;
  readonly taskOwners: TaskOwners;
  /** What callers find tools in. */
  readonly toolIndexes: Pick<ToolIndexes, 'find'>;
  /** Those that run, and those that wait for people. */
  readonly scripts: Pick<Scripts, 'begin' | 'pause' | 'resume' | 'end'>;
  readonly masked: MaskedValues;
  readonly handled: HandledTexts;
  /** Left out: results go on whole, however large. */
  readonly largeResults?: LargeResults | undefined;
  readonly callLog: CallLog;
  /** `undefined`: what is called is not for the context of a model. */
  readonly tokenMeter: TokenMeter | undefined;
  /** `undefined`: nothing is counted. */
  readonly metrics: Pick<Metrics, 'called' | 'answered' | 'denied'> | undefined;
  /** `undefined`: nothing is traced, and a client's trace context goes on as it came. */
  readonly tracer: Tracer | undefined;
  /** No record, no call. */
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}
