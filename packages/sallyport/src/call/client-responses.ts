import { type AuditOutcome, toAuditSubject } from '../core/audit.ts';
import { type Envelope, NOTHING } from '../core/envelope.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Passage } from '../core/exchange.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { sizeOf } from '../core/large-body.ts';
import type { Request } from '../core/message.ts';
import { type Decision, inspect } from '../guard/guard.ts';
import type { CallRecord } from '../telemetry/call-log.ts';
import { reparse } from '../upstream/request-meta.ts';
import type { Settled } from './approval-desk.ts';
import { nextCallId } from './call-id.ts';
import { withOwnCancel } from './own-cancel.ts';
import type { CallPorts } from './ports.ts';
import type { ReadRun } from './run-of.ts';

/**
 * What a client responds to server requests (sampling, elicitation, roots) leaves as arguments do, and is judged as they are:
 * a server may ask the client's model to repeat what other servers said.
 */
export interface Responding {
  readonly about: ReadRun;
  /** The request during which the server asked. */
  readonly asked: Envelope;
  /** Of the server request. */
  readonly method: string;
}

/** One response, while the request is at its server. */
export async function judgeResponse(ports: CallPorts, responding: Responding, answer: JsonObject): Promise<Passage> {
  const judged = await judge(ports, responding, answer);
  return judged.kind === 'pass' ? judged : { kind: 'stop', told: judged.told, fault: judged.fault };
}

/** The request with the responses it brings as they may go there, or why it may not. */
export type Entered =
  | { readonly request: Request }
  | { readonly decision: Decision; readonly approvalId: string | undefined };

/** Those that come with a request, sent again (`inputResponses`); `undefined`: there are none, or nobody judges them. */
export function enterResponses(ports: CallPorts, about: ReadRun, asked: Envelope): Promise<Entered> | undefined {
  const given = member(about.inbound.request.params, RESPONSES);
  if (given === undefined || ports.chains('client_response', asked.snapshot).guards.length === 0) return undefined;
  return enterAll(ports, { about, asked }, given);
}

const RESPONSES = 'inputResponses';
const FORM = 'elicitation/create';
const ROOTS = 'roots/list';
const SAMPLING = 'sampling/createMessage';

/** A form the server gets no answer to is one that was declined, and says why. */
export function toDeclined(method: string, told: string): JsonObject | undefined {
  return method === FORM ? { action: 'decline', _meta: { 'dev.sallyport/refused': told } } : undefined;
}

type Judged = Extract<Passage, { kind: 'pass' }> | Stopped;

interface Stopped {
  readonly kind: 'stop';
  readonly decision: Decision;
  readonly approvalId: string | undefined;
  /** What the server may hear of it, and the client. */
  readonly told: string;
  readonly fault: FaultError;
}

/** One after the other: a person is asked about the next only when the one before may leave. */
async function enterAll(ports: CallPorts, from: Omit<Responding, 'method'>, given: Json): Promise<Entered> {
  const { request } = from.about.inbound;
  // What is no map of responses is judged all the same.
  const all = isObject(given) ? given : { '': given };
  const passed: [string, Json | undefined][] = [];
  let isChanged = false;
  for (const [key, response] of Object.entries(all)) {
    const answer = isObject(response) ? response : { [key]: response };
    const method = methodOf(answer);
    const judged = await judge(ports, { ...from, method }, answer);
    const sent = judged.kind === 'pass' ? judged.answer : toDeclined(method, judged.told);
    if (judged.kind === 'stop' && sent === undefined) return judged;
    isChanged ||= sent !== answer;
    passed.push([key, sent === answer ? response : sent]);
  }
  if (!isChanged) return { request };
  const edit = request.setParam(RESPONSES, JSON.stringify(Object.fromEntries(passed)));
  // Written at once: another round may come to stand in the same place.
  return { request: reparse(request.write(request.id, [edit])) };
}

/** Which question it answers; the client's program gives an answer its form, not what was written into it. */
function methodOf(answer: JsonObject): string {
  if (typeof member(answer, 'action') === 'string' && member(answer, 'role') === undefined) return FORM;
  return Array.isArray(member(answer, 'roots')) ? ROOTS : SAMPLING;
}

/** Fail closed: what cannot be judged, asked about or recorded does not leave. @throws FaultError `cancelled`. */
async function judge(ports: CallPorts, responding: Responding, answer: JsonObject): Promise<Judged> {
  const { asked, about } = responding;
  const { guards } = ports.chains('client_response', asked.snapshot);
  if (guards.length === 0) return { kind: 'pass', answer };
  const envelope = toEnvelope(responding, answer);
  const record = createRecord(ports, envelope, asked.target);
  try {
    const first = await inspect(guards, envelope);
    const { inbound } = about;
    const settled: Settled =
      first.verdict.kind !== 'ask'
        ? { decision: first, approvalId: undefined }
        : await withOwnCancel(inbound.exchange, (exchange) =>
            ports.desk.settle(first, envelope, { ...inbound, exchange }),
          );
    const { decision } = settled;
    const { verdict, cause } = decision;
    if (cause !== undefined)
      ports.log.error(
        { callId: envelope.id, guard: decision.guard, error: cause },
        'a guard failed, so an answer stays',
      );
    if (verdict.kind === 'deny' || verdict.kind === 'ask') return record.stopped(settled);
    const sent = decision.rewritten ?? answer;
    if (sent !== answer || settled.approvalId !== undefined) await record.admitted(settled, first, sent);
    // After the record, as for requests.
    if (settled.spend !== undefined && !(await settled.spend())) return record.stopped(toSpent(settled));
    const revealed = await ports.masked.toUpstream(envelope, sent);
    record.passed();
    return { kind: 'pass', answer: revealed ?? sent };
  } catch (error) {
    const fault = toFault(error);
    if (fault.code === 'internal') ports.log.error({ callId: envelope.id, error }, 'an answer could not be judged');
    const stopped = record.stopped({ decision: toDenied(fault.message), approvalId: undefined });
    if (fault.code === 'cancelled') throw fault;
    return stopped;
  }
}

function toSpent({ approvalId }: Settled): Settled {
  const reason = `The approval ${approvalId ?? ''} was used by another answer. Let the server ask anew.`;
  return { decision: toDenied(reason, 'approval'), approvalId };
}

function toDenied(reason: string, guard?: string): Decision {
  return { verdict: { kind: 'deny', code: 'denied', reason }, guard, rewritten: undefined, cause: undefined };
}

function toEnvelope({ asked, method }: Responding, answer: JsonObject): Envelope {
  return {
    ...asked,
    ...{ kind: 'client_response', id: nextCallId(), target: method, publicTarget: method, body: answer },
    ...{ plan: undefined, item: undefined, tool: undefined, fixed: NOTHING, shown: undefined, notes: undefined },
    bytes: sizeOf(answer),
  };
}

/** What was stopped, changed or released is noted as a call is; the rest left as the client gave it. */
function createRecord({ audit, callLog, metrics }: CallPorts, envelope: Envelope, during: string) {
  const startedAt = performance.now();
  const { client, bytes, id, upstream, target: method, snapshot } = envelope;
  const about = { client, requestBytes: bytes, snapshotVersion: snapshot.version };
  const subject = toAuditSubject(id, method, about);
  subject.upstream = upstream;
  subject.target = during;
  subject.said = envelope;
  const finish = (outcome: AuditOutcome, by: { guard: string | undefined; reason: string | undefined }) => {
    const ms = performance.now() - startedAt;
    const record: CallRecord = {
      ...{ callId: id, principal: client.principal.id, client: client.info.name, upstream },
      ...{ tool: method, outcome, ...by, ms, requestBytes: bytes, resultBytes: 0 },
    };
    callLog.write(record);
    metrics?.answered(method, ms, outcome === 'ok');
    if (outcome === 'denied') metrics?.denied(by.guard);
    audit.finish(subject, { outcome, ...by, ms, resultBytes: 0 }, undefined);
  };
  let left: { guard: string | undefined; reason: string | undefined } | undefined;
  return {
    async admitted({ decision, approvalId }: Settled, first: Decision, sent: JsonObject): Promise<void> {
      const { guard, verdict } = decision.guard === undefined ? first : decision;
      left = { guard, reason: 'reason' in verdict ? verdict.reason : undefined };
      if (verdict.kind === 'rewrite') Object.assign(subject, { verdict: 'rewrite', ...left });
      subject.approval = approvalId;
      await audit.admit(subject, Buffer.from(JSON.stringify(sent)));
    },
    passed(): void {
      if (left !== undefined) finish('ok', left);
    },
    stopped({ decision, approvalId }: Settled): Stopped {
      const { verdict, guard } = decision;
      const reason = 'reason' in verdict ? verdict.reason : '';
      subject.approval = approvalId;
      finish('denied', { guard, reason });
      const told =
        verdict.kind === 'ask' && approvalId !== undefined
          ? `The answer is not passed on before a person allows it: approval ${approvalId}.`
          : 'The answer is not passed on: what may go where is ruled here, and it may not go to this server.';
      const code = verdict.kind === 'deny' ? verdict.code : 'denied';
      const named = approvalId === undefined ? {} : { approval: approvalId };
      const data = { 'dev.sallyport/verdict': { kind: verdict.kind, code, guard: guard ?? '', reason, ...named } };
      return { kind: 'stop', decision, approvalId, told, fault: new FaultError('denied', reason, { data }) };
    },
  };
}
