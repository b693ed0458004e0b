import type { BindingSettings, BundleSettings, ServerAccess, SinkSettings } from './access-settings.ts';
import type { ApprovalSettings } from './approvals-section.ts';
import type { ArgumentSafetySettings } from './argument-safety-section.ts';
import type { AuditSettings } from './audit-section.ts';
import type { AuthSettings } from './auth-settings.ts';
import type { ControlSettings } from './control-section.ts';
import type { DiscoverySettings } from './discovery-section.ts';
import type { LimitsSettings } from './limits-section.ts';
import type { PinSettings } from './pins-section.ts';
import type { PlanSettings } from './plans-section.ts';
import type { PolicySettings, StarterSet } from './policy-section.ts';
import type { ResultSettings } from './results-section.ts';
import type { ScanSettings } from './scan-section.ts';
import type { ScriptSettings } from './scripts-section.ts';
import type { SecretSettings } from './secrets-section.ts';
import type { StateSettings } from './state-section.ts';
import type { TaintSettings } from './taint-section.ts';
import type { TelemetrySettings } from './telemetry-section.ts';

import type { UpstreamAuth } from './upstream-auth.ts';

/** What the rest of the program runs on: resolved, complete, frozen. The file as people write it is in `file-schema.ts`. */

export type Transport =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly type: 'http' | 'sse' | 'auto';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** How names on the shared endpoint are kept apart (requirement P10). */
export type PrefixMode = 'server' | 'random' | 'uri' | 'none';

/** One upstream. Times are milliseconds. */
export interface ServerSettings {
  readonly name: string;
  /** Why it cannot be used: the environment lacks what its entry names. Then `transport` is as it was written. */
  readonly fault?: string;
  readonly transport: Transport;
  /** HTTP: how Sallyport proves itself; left out: by nothing but the headers of the transport. */
  readonly auth?: UpstreamAuth;
  /** `undefined`: the gateway's mode decides; a string is used as it is. */
  readonly prefix: string | undefined;
  readonly era: 'auto' | 'legacy' | 'modern';
  /** Until the answer, extended by progress. */
  readonly timeoutMs: number;
  /** Hard cap that progress cannot extend. */
  readonly maxTimeoutMs: number;
  /** Until a started child or a new connection has answered its first request. */
  readonly startTimeoutMs: number;
  /** Requests in flight at once; more wait in line. */
  readonly concurrency: number;
  /** stdio: `shared` by clients that declare nothing a server could ask for; `client`: always one child per client. */
  readonly sharing: 'shared' | 'client';
  /** stdio: stopped after this long without a request and started again by the next one; 0 = never stopped. */
  readonly idleMs: number;
  /** stdio: the process group is ended above this much resident memory; 0 = no limit. Mebibytes. */
  readonly memoryMb: number;
  /** stdio: whose process it is, a name or number of /etc/passwd; left out: of Sallyport's own user. */
  readonly user?: string;
  /** stdio: whether the state directory is hidden from it; left out: where this system can. */
  readonly isolation?: 'auto' | 'required' | 'off';
  /** Failures in a row that open the circuit breaker, and how long it stays open. */
  readonly breaker: { readonly failures: number; readonly openMs: number };
  /** How long a list is served without asking again when the upstream states no `ttlMs`. */
  readonly listTtlMs: number;
  /** Tools that are neither listed nor callable, by their own names at the upstream. */
  readonly disabledTools: readonly string[];
  /** Who may see what of it; left out: everyone everything. */
  readonly access?: ServerAccess | undefined;
}

export interface GatewaySettings {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  /** `key`: a bearer key is required. `none`: anyone who reaches the address; refused unless the host is loopback. */
  readonly auth: 'key' | 'none' | AuthSettings;
  /** Host header values accepted beside the bound address and loopback names, without port. */
  readonly allowedHosts: readonly string[];
  /** Origin values accepted beside loopback origins. */
  readonly allowedOrigins: readonly string[];
  readonly prefix: PrefixMode;
  /** Items per page of a list. */
  readonly pageSize: number;
  readonly sessionIdleMs: number;
  /** How long calls are served after the end was asked for; left out: as long as whoever asks for readiness needs. */
  readonly drainMs?: number | undefined;
  /** A call of a client that can resume a stream gives its connection free after this long; 0 = never. */
  readonly pollAfterMs: number;
  /** Calls of tools whose input schema is unusable. */
  readonly unvalidatedArguments: 'allow' | 'deny';
  readonly limits: {
    readonly bodyBytes: number;
    readonly depth: number;
    readonly headerCount: number;
    readonly headerBytes: number;
    readonly headerMs: number;
    readonly requestMs: number;
    readonly inFlight: number;
    readonly inFlightPerClient: number;
    readonly inFlightBytes: number;
    readonly sessions: number;
  };
}

export interface Snapshot {
  /** Counts up with every reload. */
  readonly version: number;
  /** The file it was read from; `undefined` for one made in memory. */
  readonly file: string | undefined;
  /** Catalogue, key, learned eras. Absolute. */
  readonly stateDir: string;
  /** The starter set in force: what it says holds for every door whose section the file leaves out. */
  readonly set: StarterSet;
  readonly gateway: GatewaySettings;
  /** Where the key stands that seals tokens of upstreams; left out: in the state directory. */
  readonly tokenKeyRef?: string;
  /** In the order of the file. */
  readonly servers: ReadonlyMap<string, ServerSettings>;
  /** Left out: there are none. */
  readonly bundles?: ReadonlyMap<string, BundleSettings>;
  /** Left out: `DEFAULT_DISCOVERY`. */
  readonly discovery?: DiscoverySettings;
  /** Left out: `DEFAULT_SCRIPTS`. */
  readonly scripts?: ScriptSettings;
  /** Left out: no floor, nothing overridden. */
  readonly sinks?: SinkSettings;
  /** Left out: none. */
  readonly bindings?: readonly BindingSettings[];
  /** Left out: `NO_APPROVAL_RULES`. */
  readonly approvals?: ApprovalSettings;
  /** Left out: no limit on calls. */
  readonly limits?: LimitsSettings;
  /** Left out: `DEFAULT_AUDIT`. */
  readonly audit?: AuditSettings;
  /** Left out: `DEFAULT_CONTROL`. */
  readonly control?: ControlSettings;
  /** Left out: nobody is told. */
  readonly telemetry?: TelemetrySettings;
  /** Left out: mode laptop. */
  readonly pins?: PinSettings;
  /** Which policies there are; `policiesOf` tells whether any has to be evaluated. Left out: one server alone was asked for. */
  readonly policy?: PolicySettings;
  /** Left out: `DEFAULT_RESULTS`. */
  readonly results?: ResultSettings;
  /** Left out: `DEFAULT_SCAN`. */
  readonly scan?: ScanSettings;
  /** Left out: nothing is looked at. */
  readonly secrets?: SecretSettings;
  readonly argumentSafety: ArgumentSafetySettings;
  /** Left out: there are none. */
  readonly plans?: PlanSettings;
  /** Left out: nothing is shared with other processes. */
  readonly state?: StateSettings;
  /** Left out: nothing is labelled. */
  readonly taint?: TaintSettings;
  /** What stands in the file without effect although it matters (sandbox, OAuth): to be shown once. */
  readonly notes: readonly string[];
}
