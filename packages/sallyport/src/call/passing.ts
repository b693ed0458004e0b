import { type AuditSubject, toAuditSubject } from '../core/audit.ts';
import type { Envelope } from '../core/envelope.ts';
import type { CallRecord } from '../telemetry/call-log.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';

/** One request on its way, filled in while it lives. */
export interface Passing {
  readonly ports: CallPorts;
  readonly inbound: Inbound;
  readonly record: CallRecord;
  readonly subject: AuditSubject;
  envelope: Envelope | undefined;
  /** The upstream that a fault quotes before there is an envelope. */
  quoted: string | undefined;
  isAnswered: boolean;
  /** Of the answer, for the record. */
  body: Buffer | undefined;
}

export function beginPassing(ports: CallPorts, inbound: Inbound): Passing {
  const { request, exchange, snapshot, script } = inbound;
  const { client } = exchange;
  const requestBytes = request.bytes.length;
  const callId = nextCallId();
  return {
    ports,
    inbound,
    record: {
      callId,
      principal: client.principal.id,
      client: client.info.name,
      upstream: undefined,
      tool: undefined,
      outcome: 'failed',
      guard: undefined,
      reason: undefined,
      ms: 0,
      requestBytes,
      resultBytes: 0,
    },
    subject: toAuditSubject(callId, request.method, {
      ...{ client, requestBytes, script, snapshotVersion: snapshot.version },
    }),
    envelope: undefined,
    quoted: undefined,
    isAnswered: false,
    body: undefined,
  };
}
