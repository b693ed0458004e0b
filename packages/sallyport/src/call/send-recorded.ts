import { type AuditEnd, toAuditSubject } from '../core/audit.ts';
import { toFault } from '../core/errors.ts';
import type { Answer } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';

/** Sends a request that is no tool call, recorded before and after as calls are. @throws FaultError */
export async function sendRecorded(
  ports: CallPorts,
  { request, exchange, snapshot }: Inbound,
  { upstream, ...sent }: Omit<UpstreamRequest, 'request' | 'paramHeaders'> & { readonly upstream: string },
): Promise<Answer> {
  const startedAt = performance.now();
  const subject = toAuditSubject(nextCallId(), request.method, {
    client: exchange.client,
    requestBytes: request.bytes.length,
    snapshotVersion: snapshot.version,
  });
  subject.upstream = upstream;
  subject.target = sent.target;
  let end: Pick<AuditEnd, 'outcome' | 'reason'> = { outcome: 'failed', reason: undefined };
  let body: Buffer | undefined;
  try {
    const params = request.paramsSpan;
    const recorded = ports.audit.admit(subject, params && request.bytes.subarray(params.start, params.end));
    if (recorded !== undefined) await recorded;
    const answer = await ports.upstreams.send(upstream, { request, ...sent, paramHeaders: undefined }, exchange);
    body = answer.bytes.subarray(answer.bodySpan.start, answer.bodySpan.end);
    end = { outcome: answer.isResult ? 'ok' : 'error', reason: undefined };
    return answer;
  } catch (error) {
    const fault = toFault(error);
    end = { outcome: fault.code === 'cancelled' ? 'cancelled' : 'failed', reason: fault.message };
    throw fault;
  } finally {
    const ms = performance.now() - startedAt;
    ports.audit.finish(subject, { ...end, guard: undefined, ms, resultBytes: body?.length ?? 0 }, body);
  }
}
