import type { CallNotes, Tool } from './call.ts';
import type { Client } from './client.ts';
import type { Envelope } from './envelope.ts';

/**
 * How a request ended. `tool_error`: the tool said so; `error`: the upstream answered with an error; `denied`: it never ran;
 * `withheld`: it ran, and its result was not handed out; `failed`: we did.
 */
export type AuditOutcome = 'ok' | 'tool_error' | 'error' | 'denied' | 'withheld' | 'cancelled' | 'failed';

/** One request on its way to an upstream, as the audit names it. Made once per request, filled in while it lives. */
export interface AuditSubject extends CallNotes {
  readonly callId: string;
  readonly method: string;
  readonly client: Client;
  readonly requestBytes: number;
  readonly snapshotVersion: number;
  /** Id of the call whose script made this one; `undefined`: none did. */
  readonly script: string | undefined;
  upstream: string | undefined;
  /** Name or URI at the upstream. */
  target: string | undefined;
  /** Of the tool's definition. */
  digest: string | undefined;
  /** For its approved hints and effects: what decided from them can be told later, and tried under other rules. */
  tool: Tool | undefined;
  /** Who rewrote the arguments and why. */
  verdict: 'rewrite' | undefined;
  guard: string | undefined;
  reason: string | undefined;
  /** Where a person decided, or is asked. */
  approval: string | undefined;
  /** What was sent: a reason may quote it. `undefined`: nobody could read it. */
  said: Pick<Envelope, 'body' | 'fixed'> | undefined;
  /** Set by the audit: its record was taken. */
  admitted: boolean;
}

export interface AuditEnd {
  readonly outcome: AuditOutcome;
  readonly guard: string | undefined;
  readonly reason: string | undefined;
  readonly ms: number;
  readonly resultBytes: number;
}

/**
 * The record of who did what. `admit` comes before anything reaches an upstream and `finish` after, whatever happened:
 * no record, no call. Implemented in `telemetry/audit/`.
 */
export interface Audit {
  /**
   * `undefined`: the call may go now; a promise: when it is fulfilled.
   * @param args the arguments as they are sent, JSON text
   * @throws FaultError `unrecorded`, at once or by the promise.
   */
  admit(subject: AuditSubject, args: Buffer | undefined): Promise<void> | undefined;
  /** Never throws and never waits. @param result the answer's body, JSON text */
  finish(subject: AuditSubject, end: AuditEnd, result: Buffer | undefined): void;
  /** Why nothing can be recorded now; `undefined`: all is well. */
  trouble(): string | undefined;
}

/** Where the operator turned the audit off. */
export const NO_AUDIT: Audit = { admit: () => undefined, finish() {}, trouble: () => undefined };

export function toAuditSubject(
  callId: string,
  method: AuditSubject['method'],
  about: {
    readonly client: Client;
    readonly requestBytes: number;
    readonly snapshotVersion: number;
    readonly script?: string | undefined;
  },
): AuditSubject {
  return {
    callId,
    method,
    client: about.client,
    requestBytes: about.requestBytes,
    snapshotVersion: about.snapshotVersion,
    script: about.script,
    upstream: undefined,
    target: undefined,
    digest: undefined,
    tool: undefined,
    verdict: undefined,
    guard: undefined,
    reason: undefined,
    approval: undefined,
    said: undefined,
    policy: undefined,
    release: undefined,
    candidate: undefined,
    isEnforced: true,
    standing: undefined,
    notValidated: undefined,
    admitted: false,
  };
}
