import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { Guard } from '../guard/guard.ts';
import type { CallLog } from '../telemetry/call-log.ts';

/** What the lives of calls need from the rest of the house. */
export interface CallPorts {
  readonly upstreams: UpstreamPort;
  readonly guards: readonly Guard[];
  readonly callLog: CallLog;
  readonly clock: Clock;
  readonly log: Log;
}
