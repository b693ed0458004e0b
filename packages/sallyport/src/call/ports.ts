import type { PinBook } from '../catalog/pins/pin-book.ts';
import type { Audit } from '../core/audit.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Answer } from '../core/message.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { Guard } from '../guard/guard.ts';
import type { JudgeOutgoing } from '../guard/outgoing.ts';
import type { OfferDoor } from '../guard/policy.ts';
import type { KeptResults } from '../guard/scan/results/kept-result.ts';
import type { ReadData } from '../guard/taint/taint.ts';
import type { CallLog } from '../telemetry/call-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/traces.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { HandledTexts } from './handled-texts.ts';
import type { MaskedValues } from './masked-values.ts';
import type { PlanDoor } from './planned.ts';
import type { ResourceDoor } from './resource-door.ts';
import type { TaskOwners } from './task-owners.ts';
import type { TextDoor } from './text-door.ts';
import type { AnswerDoor } from './vet-answers.ts';
import type { Vetting } from './vet-questions.ts';

/** What the lives of calls need from the rest of the house. */
export interface CallPorts {
  readonly upstreams: UpstreamPort;
  readonly guards: readonly Guard[];
  /** Who may read resources and get prompts. Left out: everyone who sees them. */
  readonly offers?: OfferDoor | undefined;
  /** Whether secrets or private data leave with what is no call of a tool. Left out: nobody looks. */
  readonly outgoing?: JudgeOutgoing | undefined;
  /** Where calls wait for people. Left out: nobody can be asked, so ask is deny. */
  readonly desk?: Pick<ApprovalDesk, 'settle'> | undefined;
  /** Holds pages of tools (`ui://`) whose content is not the approved one. Left out: all are shown. */
  readonly pages?: Pick<PinBook, 'meetPage'> | undefined;
  /** How questions of upstreams are looked at before a client is asked. Left out: as they come. */
  readonly vetting?: Vetting | undefined;
  /** The same for what clients answer to them. Left out: it leaves as it is. */
  readonly answers?: AnswerDoor | undefined;
  /** What else than tools gave a run to read. Left out: nobody remembers it. */
  readonly remember?: ((about: Omit<ReadData, 'result'>, answer: Answer) => Promise<void> | undefined) | undefined;
  /** Waits until what other processes know of a run is known here. Left out: nothing is shared. */
  readonly meetRun?: ((run: string) => Promise<unknown> | undefined) | undefined;
  /** Results in quarantine that a person released. Left out: there are none. */
  readonly keptResults?: Pick<KeptResults, 'take'> | undefined;
  /** Reads what servers send beside results of calls. Left out: nobody does. */
  readonly texts?: TextDoor | undefined;
  /** Who may have a server open which URI. Left out: everyone every one. */
  readonly resources?: ResourceDoor | undefined;
  /** Left out: whoever knows the id of a task may ask for it. */
  readonly taskOwners?: TaskOwners | undefined;
  /** Left out: nothing is masked. */
  readonly masked?: MaskedValues | undefined;
  /** Left out: there are no plans. */
  readonly planned?: PlanDoor | undefined;
  /** Left out: there are no handles. */
  readonly handled?: HandledTexts | undefined;
  readonly callLog: CallLog;
  /** Left out: nothing is counted. */
  readonly metrics?: Pick<Metrics, 'called' | 'answered' | 'denied'> | undefined;
  /** Left out: nothing is traced, and a client's trace context goes on as it came. */
  readonly tracer?: Tracer | undefined;
  /** No record, no call. */
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}
