import type { Tool } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import { type Envelope, type EnvelopeKind, KINDS, NAME, NOTHING } from '../core/envelope.ts';
import { type FaultError, toFault, toFaultAfter } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { inTurn } from '../core/in-turn.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Span } from '../core/json-scan.ts';
import { LARGE, noteRaw, withRawBody } from '../core/large-body.ts';
import { Answer, Notification, type Request } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import { type Decision, inspect, needsReading } from '../guard/guard.ts';
import { type Carried, isEmpty, toWhole } from '../guard/whole.ts';
import { reparse } from '../upstream/request-meta.ts';
import type { Settled } from './approval-desk.ts';
import { enterResponses } from './client-responses.ts';
import type { Inbound } from './inbound.ts';
import type { FittedAnswer } from './large-results.ts';
import { beginPassing, type Passing } from './passing.ts';
import type { CallPorts } from './ports.ts';
import { toPublicAnswer } from './public-names.ts';
import { isRefused, type Refused, toRefusal } from './refusal.ts';
import { withoutOthers } from './request-forms.ts';
import { type ReadRun, readRun } from './run-of.ts';
import { type Revealed, reveal } from './transforms.ts';
import { judgeFault, judgeTaskQuestions, toContext, watch } from './watch.ts';

/** Where one request of a client goes, and how it is written. */
export interface Route extends Carried {
  readonly kind: EnvelopeKind;
  readonly upstream: string;
  /** Name, URI or id at the upstream; left out: it names nothing. */
  readonly target?: string | undefined;
  /** Left out: as at the upstream. */
  readonly publicTarget?: string | undefined;
  readonly item?: Envelope['item'];
  readonly tool?: Tool | undefined;
  /** Header values for arguments that say so. */
  paramHeaders?(body: JsonObject): UpstreamRequest['paramHeaders'];
  /** The request as it goes to the upstream. Left out: as the client wrote it. */
  write?(request: Request, sent: Sent): UpstreamRequest['edits'];
  /** Left out: the upstream is asked, and answers. */
  send?(request: UpstreamRequest, exchange: Exchange): Promise<Answer>;
}

/** What a request is written with in the end. */
export interface Sent {
  readonly target: string | undefined;
  readonly body: JsonObject;
  /** The body is not the one that the client wrote. */
  readonly isChanged: boolean;
}

/**
 * The whole life of every request of a client, read top to bottom: guards -> approval -> record -> use the grant -> transform
 * -> send -> guards -> transform back; one record of the end whatever happens.
 * @param toRoute finds where it goes; what it throws is recorded, too
 * @throws FaultError for what is wrong with the request itself, and for a refusal of what is no call of a tool; a refused
 * call is an answer that the model can read.
 */
export async function relay(
  ports: CallPorts,
  given: Inbound,
  toRoute: (about: ReadRun, passing: Passing) => Route | Promise<Route>,
): Promise<Answer> {
  const startedAt = performance.now();
  const passing = beginPassing(ports, given);
  const { record, subject } = passing;
  const span = ports.tracer?.begin(given.request);
  try {
    const about = readRun(given);
    const routing = toRoute(about, passing);
    const route = routing instanceof Promise ? await routing : routing;
    const envelope = toEnvelope(route, about, passing);
    const sent = await admit(passing, { about, route, envelope });
    if (sent instanceof Answer) return sent;
    const { exchange } = given;
    exchange.watch = watch(ports, { about, asked: envelope });
    const send = route.send ?? ((request, own) => ports.upstreams.send(route.upstream, request, own));
    const released = await ports.keptResults?.take(envelope);
    const answer =
      released !== undefined
        ? Answer.result(given.request.id, released)
        : await (span === undefined
            ? send(sent, exchange)
            : span.follow(sent, route.upstream, (request) => send(request, exchange)));
    return await release(passing, envelope, answer);
  } catch (error) {
    // The record has it as the client reads it: it may quote what a server said.
    const { envelope, quoted } = passing;
    const asked = envelope ?? (quoted === undefined ? undefined : toContext(given, quoted));
    const fault = envelope?.kind === 'own' ? toFault(error) : await judgeFault(ports, asked, toFault(error));
    noteFault(passing, fault);
    // The server did it: "try again" would have the model do it twice.
    throw passing.isAnswered ? toFaultAfter(fault) : fault;
  } finally {
    record.ms = performance.now() - startedAt;
    if (isLogged(passing)) {
      ports.callLog.write(record);
      ports.metrics?.called(record);
    } else if (record.outcome === 'denied') ports.metrics?.denied(record.guard);
    ports.tokenMeter?.used(record, given.request.method);
    span?.end(record);
    ports.audit.finish(subject, record, passing.body);
  }
}

/** Calls of tools are logged and counted one by one. */
function isLogged({ inbound }: Passing): boolean {
  return inbound.request.method === 'tools/call';
}

function toEnvelope(route: Route, about: ReadRun, passing: Passing): Envelope {
  const { kind, upstream, tool, body, fixed } = route;
  const { request, exchange, endpoint, snapshot, view } = about.inbound;
  const { record, subject } = passing;
  const target = route.target ?? request.method;
  record.upstream = subject.upstream = upstream;
  record.tool = subject.target = route.target;
  if (tool !== undefined) {
    subject.digest = tool.digest;
    subject.tool = tool;
  }
  const envelope: Envelope = {
    kind,
    id: record.callId,
    client: exchange.client,
    endpoint,
    run: about.run,
    user: about.user,
    isOwnRun: about.isOwnRun,
    plan: about.plan,
    snapshot,
    upstream,
    target,
    publicTarget: route.publicTarget ?? target,
    item: route.item,
    tool,
    body,
    fixed: withExperimental(fixed, exchange.client),
    bytes: request.bytes.length,
    shown: kind === 'call' ? view.shown : undefined,
    notes: subject,
    asked: undefined,
  };
  if (kind === 'call' && request.bytes.length >= LARGE) noteRaw(envelope, cut(request, request.param('arguments')));
  passing.envelope = envelope;
  subject.said = envelope;
  return envelope;
}

/** Servers are told what a client declares, and what it declares there is its own to choose. */
function withExperimental(fixed: JsonObject, { capabilities: { experimental } }: Client): JsonObject {
  return isObject(experimental) && !isEmpty(experimental) ? { ...fixed, experimental } : fixed;
}

interface Going {
  readonly about: ReadRun;
  readonly route: Route;
  readonly envelope: Envelope;
}

/** On the way to the server. @returns the request as it is sent, or the answer that refuses it */
async function admit(passing: Passing, { about, route, envelope }: Going): Promise<UpstreamRequest | Answer> {
  const { ports, subject } = passing;
  const { inbound } = about;
  const { exchange, snapshot } = inbound;
  const chain = ports.chains(envelope.kind, snapshot);
  const judging = inspect(chain.guards, envelope);
  let admitted = judging instanceof Promise ? await judging : judging;
  if (subject.standing !== undefined) exchange.annotate?.(subject.standing);
  noteFailed(passing, admitted);
  let settled: Settled | undefined;
  if (admitted.verdict.kind === 'ask' && KINDS[envelope.kind].asks && exchange.unattended !== true) {
    settled = await ports.desk.settle(admitted, envelope, inbound);
    admitted = settled.decision;
    noteFailed(passing, admitted);
    subject.approval = settled.approvalId;
  }
  const approvalId = settled?.approvalId;
  const refused =
    refuse(passing, admitted, { approvalId }) ??
    (chain.last.length === 0 ? undefined : refuse(passing, await inspect(chain.last, envelope), { approvalId }));
  if (refused !== undefined) return refused;
  const entering = enterResponses(ports, about, envelope);
  const entered = entering === undefined ? { request: inbound.request } : await entering;
  if ('decision' in entered) {
    subject.approval ??= entered.approvalId;
    return refuse(passing, entered.decision, { approvalId: entered.approvalId }) ?? Answer.result('0', {});
  }
  const body = admitted.rewritten ?? envelope.body;
  noteRewritten(passing, admitted);
  const isChanged = admitted.rewritten !== undefined;
  const recording = ports.audit.admit(subject, toRecorded(route, entered.request, { body, isChanged }));
  if (recording !== undefined) await recording;
  // After the record: a request that cannot be recorded leaves the person's yes as it was.
  const spent = settled?.spend === undefined || (await settled.spend()) ? undefined : toSpent(approvalId);
  const late = spent && refuse(passing, spent, { approvalId });
  if (late !== undefined) return late;
  const revealing = reveal(ports, envelope, body);
  const revealed = revealing instanceof Promise ? await revealing : revealing;
  // What a person agreed to is what they were shown: members beside it stay here.
  const request = approvalId === undefined ? entered.request : withoutOthers(envelope, entered.request);
  return write(route, request, { revealed, isChanged });
}

function write(
  route: Route,
  request: Request,
  { revealed, isChanged }: { readonly revealed: Revealed; readonly isChanged: boolean },
): UpstreamRequest {
  const { body, fixed, isRevealed } = revealed;
  const name = fixed[NAME];
  const target = typeof name === 'string' ? name : route.target;
  return {
    request,
    edits: route.write?.(request, { target, body, isChanged: isChanged || isRevealed }) ?? [],
    target,
    paramHeaders: route.paramHeaders?.(body),
  };
}

/** What the record has of the request: its own bytes, unless something was rewritten or, of a call, is sent beside the arguments. */
function toRecorded(route: Route, request: Request, { body, isChanged }: Omit<Sent, 'target'>): Buffer | undefined {
  if (route.kind === 'call' || route.kind === 'own') {
    if (isChanged || !isEmpty(route.fixed)) return Buffer.from(JSON.stringify(toWhole({ ...route, body })));
    return cut(request, request.param('arguments'));
  }
  const edits = isChanged ? (route.write?.(request, { target: undefined, body, isChanged }) ?? []) : [];
  const recorded = edits.length === 0 ? request : reparse(request.write(request.id, edits));
  return cut(recorded, recorded.paramsSpan);
}

function cut({ bytes }: Request, span: Span | undefined): Buffer | undefined {
  return span && bytes.subarray(span.start, span.end);
}

/** From here on looking through an answer takes a millisecond and more. Bytes. */
const LARGE_ANSWER = 262_144;

/** On the way back. */
async function release(passing: Passing, asked: Envelope, given: Answer): Promise<Answer> {
  const { ports, inbound, record } = passing;
  passing.isAnswered = true;
  if (given.bytes.length >= LARGE_ANSWER) await new Promise<void>(inTurn);
  // What was said while it ran reaches the client before it does.
  const { told } = inbound.exchange;
  if (told !== undefined) await told;
  record.resultBytes = given.bytes.length;
  const { upstream, client, snapshot } = asked;
  const noting = asked.kind === 'call' ? ports.taskOwners.note(upstream, given, client.principal) : undefined;
  if (noting !== undefined) await noting;
  let answer = given;
  const kind = !answer.isResult ? 'error' : asked.kind === 'call' ? 'result' : 'contents';
  // What Sallyport answers itself is made of what was judged before.
  const guards = asked.kind === 'own' ? [] : ports.chains(kind, snapshot).guards;
  // A large one is read in a thread: whether it must be, nobody reads it here to find out.
  const isLarge = answer.bytes.length >= LARGE;
  if (guards.length > 0 && needsReading(guards, asked, isLarge ? undefined : answer.bytes)) {
    const judging = inspect(
      guards,
      toJudged(answer, { ...asked, kind, fixed: NOTHING, bytes: answer.bytes.length, asked }),
    );
    const released = judging instanceof Promise ? await judging : judging;
    noteFailed(passing, released);
    const withheld = refuse(passing, released, { kind, keptId: passing.subject.keptResult });
    if (withheld !== undefined) {
      if (asked.kind === 'call') await ports.taskOwners.note(upstream, given, undefined);
      return withheld;
    }
    if (released.raw !== undefined && answer.isResult) answer = answer.withRawResult(released.raw);
    else if (released.rewritten !== undefined) answer = withBody(answer, released.rewritten);
    noteRewritten(passing, released);
    if (answer.bytes.length >= LARGE_ANSWER) await new Promise<void>(inTurn);
  }
  if (asked.kind === 'task') await judgeTaskQuestions(inbound.exchange, answer);
  // What Sallyport answers itself has the names that its callers know.
  if (asked.kind !== 'own') answer = toPublicAnswer(inbound, upstream, answer);
  // Last of all: guards have seen the whole of it, and so has whoever keeps it.
  const fitting = ports.largeResults?.fit(asked, answer);
  if (fitting !== undefined) answer = noteFitted(passing, answer, await fitting);
  record.outcome = !answer.isResult ? 'error' : answer.resultMember('isError') === true ? 'tool_error' : 'ok';
  passing.body = answer.bytes.subarray(answer.bodySpan.start, answer.bodySpan.end);
  return ports.masked.toCaller(asked, answer);
}

/** What was left out is in the record, beside what a guard changed before. */
function noteFitted({ record, inbound }: Passing, whole: Answer, fitted: FittedAnswer | undefined): Answer {
  if (fitted === undefined) return whole;
  record.guard ??= 'fit';
  record.reason = record.reason === undefined ? fitted.reason : `${record.reason} ${fitted.reason}`;
  const { exchange, snapshot } = inbound;
  // From now on the list of this caller has the tool that reads the rest.
  if (fitted.isFirst && snapshot.results === undefined && exchange.client.era === 'legacy')
    exchange.notify(Notification.of('notifications/tools/list_changed'));
  return fitted.answer;
}

/** @param context with the body of the request */
function toJudged(answer: Answer, context: Envelope): Envelope {
  if (answer.bytes.length < LARGE) return { ...context, body: toBody(answer) };
  const { start, end } = answer.bodySpan;
  return withRawBody(context, answer.bytes.subarray(start, end));
}

function toBody({ outcome }: Answer): JsonObject {
  if (outcome.kind === 'result') return outcome.result;
  const { code, message, data } = outcome.error;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

function withBody(answer: Answer, body: JsonObject): Answer {
  if (answer.isResult) return answer.withResult(body);
  return Answer.error(answer.id, answer.errorCode ?? -32603, String(body['message']), body['data']);
}

/** Of two requests that one yes would allow, this is the second one. */
function toSpent(approvalId: string | undefined): Decision {
  const reason = `The approval ${approvalId ?? ''} was used by another call. Call again to ask anew.`;
  return {
    verdict: { kind: 'deny', code: 'denied', reason },
    ...{ guard: 'approval', rewritten: undefined, cause: undefined },
  };
}

/** What a guard threw is for the operator; the model only hears that it failed. */
function noteFailed({ ports, record }: Passing, { guard, cause }: Decision): void {
  if (cause !== undefined) ports.log.error({ callId: record.callId, guard, error: cause }, 'a guard failed');
}

/** What was left out, found, masked or cleaned is in the record. */
function noteRewritten({ record, subject, isAnswered }: Passing, { verdict, guard }: Decision): void {
  if (verdict.kind !== 'rewrite') return;
  if (isAnswered) Object.assign(record, { guard, reason: verdict.reason });
  else Object.assign(subject, { verdict: 'rewrite', guard, reason: verdict.reason });
}

/**
 * The refusal as whoever asked gets it: a call's is a result that the model can read, marked so that programs can tell it
 * from the tool's own. Fail closed: what still asks here was not allowed.
 * @throws FaultError `denied` where the kind has no such result.
 */
function refuse(passing: Passing, decision: Decision, about: Omit<Refused, 'request'> = {}): Answer | undefined {
  const { record, inbound, envelope, isAnswered } = passing;
  const { verdict, guard } = decision;
  if (verdict.kind === 'allow' || verdict.kind === 'rewrite') return undefined;
  record.outcome = isAnswered ? 'withheld' : 'denied';
  record.guard = guard;
  record.reason = verdict.reason;
  return toRefusal(decision, { ...about, kind: about.kind ?? envelope?.kind, isAnswered, request: inbound.request });
}

/** How a request that failed ends in the record. */
function noteFault({ ports, record, isAnswered }: Passing, fault: FaultError): void {
  if (fault.code === 'internal') ports.log.error({ callId: record.callId, error: fault.cause }, 'a call failed inside');
  if (record.outcome === 'denied' || record.outcome === 'withheld') return;
  const refusal = isRefused(fault);
  if (refusal !== undefined) record.outcome = isAnswered ? 'withheld' : 'denied';
  else record.outcome = fault.code === 'cancelled' ? 'cancelled' : 'failed';
  record.guard = refusal;
  record.reason = fault.message;
}
