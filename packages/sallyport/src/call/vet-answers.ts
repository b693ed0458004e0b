import type { Snapshot } from '../config/settings.ts';
import { type Audit, type AuditOutcome, toAuditSubject } from '../core/audit.ts';
import type { Call, Tool } from '../core/call.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Passage, VetAnswer } from '../core/exchange.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Edit } from '../core/json-scan.ts';
import type { Log } from '../core/log.ts';
import type { Request } from '../core/message.ts';
import { type Decision, type Guard, inspectRequest } from '../guard/guard.ts';
import type { CallLog, CallRecord } from '../telemetry/call-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { reparse } from '../upstream/request-meta.ts';
import type { ApprovalDesk, Settled } from './approval-desk.ts';
import { nextCallId } from './call-id.ts';
import type { MaskedValues, Origin } from './masked-values.ts';
import { withOwnCancel } from './own-cancel.ts';
import type { ReadRun } from './run-of.ts';

/**
 * What a client answers to questions of servers (sampling, elicitation, roots) leaves as arguments do, and is looked at as
 * they are: a server may ask the client's model to repeat what other servers said.
 */
export interface AnswerDoor {
  /** For answers that come while a request is at its server; `undefined`: nobody looks at them. */
  watch(asker: ReadRun, asking: Origin): VetAnswer | undefined;
  /**
   * For those that come with the request, sent again (`inputResponses`); `undefined`: there are none, or nobody looks.
   * @param edits to be made anyway
   */
  enter(asker: ReadRun, asking: Origin, edits?: readonly Edit[]): Promise<Entered> | undefined;
}

/** The request with its answers as they may go there, or why it may not. */
export type Entered =
  | { readonly kind: 'pass'; readonly request: Request; readonly edits: readonly Edit[] }
  | { readonly kind: 'stop'; readonly decision: Decision; readonly approvalId: string | undefined };

export interface AnswerPorts {
  /** Does the snapshot say what data may go where? */
  readonly isOn: (snapshot: Snapshot) => boolean;
  readonly guards: readonly Guard[];
  /** Left out: nobody can be asked, so ask is deny. */
  readonly desk?: Pick<ApprovalDesk, 'settle'> | undefined;
  /** Left out: nothing is masked. */
  readonly masked?: Pick<MaskedValues, 'toUpstream'> | undefined;
  /** Left out: nothing is counted. */
  readonly metrics?: Pick<Metrics, 'answered' | 'denied'> | undefined;
  readonly callLog: CallLog;
  readonly audit: Audit;
  readonly log: Log;
}

export function createAnswerDoor(ports: AnswerPorts): AnswerDoor {
  return {
    watch(asker, asking) {
      if (!ports.isOn(asker.inbound.snapshot)) return undefined;
      return async (method, answer) => toPassage(await judge(ports, { asker, asking, method }, answer));
    },
    enter(asker, asking, edits = []) {
      const given = member(asker.inbound.request.params, RESPONSES);
      return given === undefined || !ports.isOn(asker.inbound.snapshot)
        ? undefined
        : enterAll(ports, { asker, asking, edits }, given);
    },
  };
}

const RESPONSES = 'inputResponses';
const FORM = 'elicitation/create';
const ROOTS = 'roots/list';
const SAMPLING = 'sampling/createMessage';

/** A form the server gets no answer to is one that was declined, and says why. */
export function toDeclined(method: string, told: string): JsonObject | undefined {
  return method === FORM ? { action: 'decline', _meta: { 'dev.sallyport/refused': told } } : undefined;
}

type Judged =
  | Extract<Passage, { kind: 'pass' }>
  | (Extract<Entered, { kind: 'stop' }> & { readonly told: string; readonly fault: FaultError });

function toPassage(judged: Judged): Passage {
  if (judged.kind === 'pass') return judged;
  const { told, fault } = judged;
  return { kind: 'stop', told, fault };
}

/** One after the other: a person is asked about the next only when the one before may leave. */
async function enterAll(
  ports: AnswerPorts,
  { asker, asking, edits }: Pick<Question, 'asker' | 'asking'> & { readonly edits: readonly Edit[] },
  given: Json,
): Promise<Entered> {
  const { request } = asker.inbound;
  // What is no map of answers is looked at all the same.
  const all = isObject(given) ? given : { '': given };
  const passed: [string, Json | undefined][] = [];
  let isChanged = false;
  for (const [key, response] of Object.entries(all)) {
    const answer = isObject(response) ? response : { [key]: response };
    const method = methodOf(answer);
    const judged = await judge(ports, { asker, asking, method }, answer);
    const sent = judged.kind === 'pass' ? judged.answer : toDeclined(method, judged.told);
    if (judged.kind === 'stop' && sent === undefined) return judged;
    isChanged ||= sent !== answer;
    passed.push([key, sent === answer ? response : sent]);
  }
  if (!isChanged) return { kind: 'pass', request, edits };
  const edit = request.setParam(RESPONSES, JSON.stringify(Object.fromEntries(passed)));
  // Written at once: another round may come to stand in the same place.
  return { kind: 'pass', request: reparse(request.write(request.id, [...edits, edit])), edits: [] };
}

/** Which question it answers; the client's program gives an answer its form, not what was written into it. */
function methodOf(answer: JsonObject): string {
  if (typeof member(answer, 'action') === 'string' && member(answer, 'role') === undefined) return FORM;
  return Array.isArray(member(answer, 'roots')) ? ROOTS : SAMPLING;
}

interface Question {
  readonly asker: ReadRun;
  readonly asking: Origin;
  readonly method: string;
}

/** Fail closed: what cannot be looked at, asked about or recorded does not leave. @throws FaultError `cancelled`. */
async function judge(ports: AnswerPorts, question: Question, answer: JsonObject): Promise<Judged> {
  const call = toStandIn(question, answer);
  const record = createRecord(ports, question, call);
  try {
    const first = await inspectRequest(ports.guards, call);
    const settled = await settle(ports, { question, call, first });
    const { decision } = settled;
    const { verdict, cause } = decision;
    if (cause !== undefined)
      ports.log.error({ callId: call.id, guard: decision.guard, error: cause }, 'a guard failed, so an answer stays');
    if (verdict.kind === 'deny' || verdict.kind === 'ask') return record.stopped(settled);
    const sent = decision.rewritten ?? answer;
    if (sent !== answer || settled.approvalId !== undefined) await record.admitted(settled, first, sent);
    // After the record, as for calls.
    if (settled.spend !== undefined && !(await settled.spend())) return record.stopped(toSpent(settled));
    const revealed = await ports.masked?.toUpstream(call, sent);
    record.passed();
    return { kind: 'pass', answer: revealed ?? sent };
  } catch (error) {
    const fault = toFault(error);
    if (fault.code === 'internal') ports.log.error({ callId: call.id, error }, 'an answer could not be looked at');
    const stopped = record.stopped({ decision: toDenied(fault.message), approvalId: undefined });
    if (fault.code === 'cancelled') throw fault;
    return stopped;
  }
}

async function settle(
  { desk }: AnswerPorts,
  { question, call, first }: { readonly question: Question; readonly call: Call; readonly first: Decision },
): Promise<Settled> {
  if (first.verdict.kind !== 'ask' || desk === undefined) return { decision: first, approvalId: undefined };
  const { inbound } = question.asker;
  return withOwnCancel(inbound.exchange, (exchange) => desk.settle(first, call, { ...inbound, exchange }));
}

function toSpent({ approvalId }: Settled): Settled {
  const reason = `The approval ${approvalId ?? ''} was used by another answer. Let the server ask anew.`;
  return { decision: toDenied(reason, 'approval'), approvalId };
}

function toDenied(reason: string, guard?: string): Decision {
  return { verdict: { kind: 'deny', code: 'denied', reason }, guard, rewritten: undefined, cause: undefined };
}

function toStandIn({ asker, asking, method }: Question, answer: JsonObject): Call {
  const { exchange, endpoint, request, snapshot } = asker.inbound;
  return {
    ...{ id: nextCallId(), tool: toTool(asking.upstream, method), client: exchange.client, endpoint },
    ...{ run: asker.run, user: asker.user, isOwnRun: asker.isOwnRun, isAnswer: true },
    ...{ arguments: answer, bytes: request.bytes.length, snapshot },
  };
}

function toTool(upstream: string, method: string): Tool {
  return {
    // The digest keeps a yes to what is asked from being one to what is answered.
    ...{ upstream, name: method, publicName: method, definition: {}, digest: 'answer', sinks: [] },
    ...{ setAside: undefined, approvedHints: {} },
  };
}

/** What was stopped, changed or released is noted as a call is; the rest left as the client gave it. */
function createRecord({ audit, callLog, metrics }: AnswerPorts, { asking, method }: Question, call: Call) {
  const startedAt = performance.now();
  const { client, bytes } = call;
  const about = { client, requestBytes: bytes, snapshotVersion: call.snapshot.version };
  const subject = toAuditSubject(call.id, method, about);
  subject.upstream = asking.upstream;
  subject.target = asking.item;
  const finish = (outcome: AuditOutcome, by: { guard: string | undefined; reason: string | undefined }) => {
    const ms = performance.now() - startedAt;
    const record: CallRecord = {
      ...{ callId: call.id, principal: client.principal.id, client: client.info.name, upstream: asking.upstream },
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
    stopped({ decision, approvalId }: Settled): Extract<Judged, { kind: 'stop' }> {
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
