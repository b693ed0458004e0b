import type { Offer } from '../core/access.ts';
import { type AuditEnd, type AuditSubject, toAuditSubject } from '../core/audit.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import type { Verdict } from '../core/verdict.ts';
import type { OfferUse } from '../guard/policy/policy-engine.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { refuseUnsafePages } from './refuse-unsafe-pages.ts';
import { readRun, withoutOwn } from './run-of.ts';
import { isTextRefusal } from './text-door.ts';

export interface Sent extends Omit<UpstreamRequest, 'request' | 'paramHeaders'> {
  readonly upstream: string;
  /** What is read, got or completed, for the policies; left out: they do not speak of this request. */
  readonly offer?: Offer['kind'];
}

/** Sends a request that is no tool call: decided, and recorded before and after, as calls are. @throws FaultError */
export async function sendRecorded(ports: CallPorts, inbound: Inbound, given: Sent): Promise<Answer> {
  const { request, exchange, snapshot } = inbound;
  const { upstream, offer, ...sent } = given;
  const startedAt = performance.now();
  const subject = toAuditSubject(nextCallId(), request.method, {
    client: exchange.client,
    requestBytes: request.bytes.length,
    snapshotVersion: snapshot.version,
  });
  subject.upstream = upstream;
  subject.target = sent.target;
  let end: Pick<AuditEnd, 'outcome' | 'reason'> & { guard?: string } = { outcome: 'failed', reason: undefined };
  let body: Buffer | undefined;
  const from = { upstream, item: sent.target ?? request.method };
  const pass = (verdict: Verdict | undefined) => {
    if (verdict === undefined || verdict.kind === 'allow') return;
    end = { outcome: 'denied', guard: POLICY, reason: 'reason' in verdict ? verdict.reason : undefined };
    throw toRefusal(verdict);
  };
  try {
    const { run } = readRun(inbound);
    const meeting = ports.meetRun?.(run);
    if (meeting !== undefined) await meeting;
    const use = offer === undefined ? undefined : toUse(inbound, run, { kind: offer, upstream, id: sent.target ?? '' });
    if (use !== undefined) pass(ports.offers?.before(use, toAbout(subject)));
    const params = request.paramsSpan;
    const recorded = ports.audit.admit(subject, params && request.bytes.subarray(params.start, params.end));
    if (recorded !== undefined) await recorded;
    exchange.vet = ports.vetting?.(inbound, upstream);
    ports.masked?.watch(from, exchange);
    const answer = await ports.upstreams.send(
      upstream,
      { ...sent, ...withoutOwn(request, sent.edits), paramHeaders: undefined },
      exchange,
    );
    refuseUnsafePages(answer);
    if (use !== undefined && answer.isResult) pass(ports.offers?.after(use, toAbout(subject)));
    const data = { run, callId: subject.callId, upstream, target: sent.target ?? request.method };
    const kept = ports.remember?.(data, answer);
    if (kept !== undefined) await kept;
    const treated = ports.texts?.treat(upstream, sent.target, answer) ?? answer;
    const shown = (await ports.masked?.fromUpstream(from, exchange.client, treated)) ?? treated;
    body = shown.bytes.subarray(shown.bodySpan.start, shown.bodySpan.end);
    end = { outcome: shown.isResult ? 'ok' : 'error', reason: undefined };
    return shown;
  } catch (error) {
    const thrown = toFault(error);
    const fault = ports.masked?.fault(from, thrown) ?? thrown;
    if (end.outcome !== 'denied' && isTextRefusal(fault))
      end = { outcome: 'denied', guard: SCAN_RESULT, reason: fault.message };
    else if (end.outcome !== 'denied')
      end = { outcome: fault.code === 'cancelled' ? 'cancelled' : 'failed', reason: fault.message };
    throw fault;
  } finally {
    const ms = performance.now() - startedAt;
    ports.audit.finish(subject, { guard: undefined, ...end, ms, resultBytes: body?.length ?? 0 }, body);
  }
}

const POLICY = 'policy';
const SCAN_RESULT = 'scan-result';

function toUse({ request, exchange }: Inbound, run: string, offer: Offer): OfferUse {
  const given = member(request.params, 'arguments');
  return { offer, client: exchange.client, run, arguments: isObject(given) ? given : {} };
}

function toAbout(subject: AuditSubject) {
  return { callId: subject.callId, notes: subject };
}

/** Reading and getting have no results that say "refused": the error says it, marked as refused calls are. */
function toRefusal(verdict: Exclude<Verdict, { kind: 'allow' }>): FaultError {
  const { kind, reason } = verdict;
  return new FaultError('denied', reason, {
    data: { 'dev.sallyport/verdict': { kind, code: 'denied', guard: POLICY, reason } },
  });
}
