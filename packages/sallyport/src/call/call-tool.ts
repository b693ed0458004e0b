import type { Snapshot } from '../config/settings.ts';
import { type AuditSubject, toAuditSubject } from '../core/audit.ts';
import type { Call, Tool } from '../core/call.ts';
import { FaultError, toFault, toFaultAfter } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Edit } from '../core/json-scan.ts';
import { Answer } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import { type Decision, inspectRequest, inspectResult, needsResult } from '../guard/guard.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import type { CallRecord } from '../telemetry/call-log.ts';
import type { Tracer } from '../telemetry/traces.ts';
import type { Settled } from './approval-desk.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';
import { isQuiet, rememberError, watchSaid, withoutQuotes, withoutWords } from './kept-servers.ts';
import { toParamHeaders } from './param-headers.ts';
import type { CallPorts } from './ports.ts';
import { mentionsNames, toPublicNames } from './public-names.ts';
import { refuseUnsafePages } from './refuse-unsafe-pages.ts';
import { readRefusal } from './resource-door.ts';
import { type ReadRun, readRun } from './run-of.ts';
import { findUnreachableOwner } from './unreachable.ts';

/**
 * The whole life of one tools/call, read top to bottom: resolve -> outer door -> record -> forward -> inner door -> answer;
 * one log line and one record of the end whatever happens.
 * @throws FaultError for what is wrong with the request itself; a refusal by a guard is an answer the model can read.
 */
export async function callTool(ports: CallPorts, given: Inbound): Promise<Answer> {
  const { exchange, snapshot } = given;
  const startedAt = performance.now();
  const record: CallRecord = {
    callId: nextCallId(),
    principal: exchange.client.principal.id,
    client: exchange.client.info.name,
    upstream: undefined,
    tool: undefined,
    outcome: 'failed',
    guard: undefined,
    reason: undefined,
    ms: 0,
    requestBytes: given.request.bytes.length,
    resultBytes: 0,
  };
  const subject = toAuditSubject(record.callId, given.request.method, {
    client: exchange.client,
    requestBytes: given.request.bytes.length,
    snapshotVersion: snapshot.version,
  });
  const span = ports.tracer?.begin(given.request);
  let body: Buffer | undefined;
  let [made, isAnswered]: [Call | undefined, boolean] = [undefined, false];
  try {
    const about = readRun(given);
    const { inbound } = about;
    const tool = resolveTool(inbound, (hidden) => noteHidden(ports, hidden, { subject, record, snapshot }));
    record.upstream = tool.upstream;
    record.tool = tool.name;
    nameTool(subject, tool);
    const call = toCall(subject, tool, about);
    made = call;
    const outer = inspectRequest(ports.guards, call);
    let admitted = outer instanceof Promise ? await outer : outer;
    if (subject.standing !== undefined) exchange.annotate?.(subject.standing);
    noteFailedGuard(ports, admitted, record);
    let settled: Settled | undefined;
    if (admitted.verdict.kind === 'ask' && ports.desk !== undefined) {
      settled = await ports.desk.settle(admitted, call, inbound);
      admitted = settled.decision;
      noteFailedGuard(ports, admitted, record);
      subject.approval = settled.approvalId;
    }
    const refused = refuse(admitted, inbound, { record, approvalId: settled?.approvalId });
    if (refused !== undefined) return refused;
    const asking = { upstream: tool.upstream, item: tool.name, snapshot };
    const entering = ports.answers?.enter(about, asking);
    const entered = entering === undefined ? undefined : await entering;
    const kept = entered?.kind === 'stop' ? refuse(entered.decision, inbound, { record, ...entered }) : undefined;
    if (kept !== undefined) return kept;
    const leaving = entered?.kind === 'pass' ? { ...inbound, request: entered.request } : inbound;
    const recorded = ports.audit.admit(subject, toArgumentBytes(admitted, subject, inbound));
    if (recorded !== undefined) await recorded;
    // After the record: a call that cannot be recorded leaves the person's yes as it was.
    if (settled?.spend !== undefined && !(await settled.spend())) admitted = toSpent(settled);
    const late = refuse(admitted, inbound, { record, approvalId: settled?.approvalId });
    if (late !== undefined) return late;

    exchange.vet = ports.vetting?.(inbound, tool.upstream);
    exchange.vetAnswer = ports.answers?.watch(about, asking);
    ports.masked?.watch(asking, exchange);
    ports.texts?.watch(asking, exchange);
    if (snapshot.plans !== undefined)
      watchSaid(ports, exchange, { isQuiet: isQuiet(snapshot, call), about: toSource(call) });
    let answer = await forward(ports, call, { admitted, inbound: leaving, span });
    isAnswered = true;
    record.resultBytes = answer.bytes.length;
    const noted = ports.taskOwners?.note(tool.upstream, answer, exchange.client.principal);
    if (noted !== undefined) await noted;
    if (!answer.isResult) answer = await treatError(ports, call, { error: answer, inbound });

    if (needsResult(ports.guards, call, answer.bytes) && answer.result !== undefined) {
      const inner = inspectResult(ports.guards, call, answer.result);
      const released = inner instanceof Promise ? await inner : inner;
      noteFailedGuard(ports, released, record);
      const withheld = refuse(released, inbound, { record, isAnswered, keptId: subject.keptResult });
      if (withheld !== undefined) {
        await ports.taskOwners?.note(tool.upstream, answer, undefined);
        return withheld;
      }
      if (released.rewritten !== undefined) answer = answer.withResult(released.rewritten);
      noteRewritten(released, record);
    }
    if (inbound.endpoint.kind !== 'server' && mentionsNames(answer))
      answer = toPublicNames(answer, inbound.view, tool.upstream);
    record.outcome = !answer.isResult ? 'error' : answer.resultMember('isError') === true ? 'tool_error' : 'ok';
    body = answer.bytes.subarray(answer.bodySpan.start, answer.bodySpan.end);
    return ports.masked === undefined ? answer : ports.masked.toCaller(call, answer);
  } catch (error) {
    const raised = toFault(error);
    const from = { upstream: record.upstream ?? '', item: record.tool ?? '', snapshot };
    const thrown = ports.texts?.fault(from, raised) ?? raised;
    const fault = ports.masked?.fault(from, thrown) ?? thrown;
    if (record.outcome !== 'denied') {
      const refusal = readRefusal(fault);
      const failed = fault.code === 'cancelled' ? 'cancelled' : 'failed';
      record.outcome = refusal === undefined ? failed : isAnswered ? 'withheld' : 'denied';
      record.guard = refusal?.guard;
      record.reason = fault.message;
    }
    if (fault.code === 'internal') ports.log.error({ callId: record.callId, error }, 'a call failed inside');
    throw toReported(isAnswered ? toFaultAfter(fault) : fault, given, made);
  } finally {
    record.ms = performance.now() - startedAt;
    ports.callLog.write(record);
    ports.metrics?.called(record);
    span?.end(record);
    ports.audit.finish(subject, record, body);
  }
}

function toReported(fault: FaultError, { snapshot }: Inbound, call: Call | undefined): FaultError {
  return call !== undefined && isQuiet(snapshot, call) ? withoutQuotes(call.tool.upstream, fault) : fault;
}

interface Forwarded {
  readonly admitted: Decision;
  readonly inbound: Inbound;
  readonly span: ReturnType<Tracer['begin']> | undefined;
}

/**
 * Sends a call that was admitted. Handles are opened and masked values put back here, after the record, so that neither
 * it nor a person who was asked holds them. A result that a person released is given without calling again.
 */
async function forward(ports: CallPorts, call: Call, { admitted, inbound, span }: Forwarded): Promise<Answer> {
  const { tool } = call;
  const { request, exchange, view } = inbound;
  const args = admitted.rewritten ?? call.arguments;
  const opening = ports.handled?.toUpstream(call, args);
  const opened = opening instanceof Promise ? await opening : opening;
  const unmasking = ports.masked?.toUpstream(call, opened ?? args);
  const revealed = (unmasking instanceof Promise ? await unmasking : unmasking) ?? opened;
  const sent = {
    request,
    edits: toEdits(revealed === undefined ? admitted : { ...admitted, rewritten: revealed }, tool, inbound),
    target: tool.name,
    paramHeaders: toParamHeaders(view.paramHeaders(tool), revealed ?? args),
  };
  const taking = ports.keptResults?.take(call);
  const kept = taking === undefined ? undefined : await taking;
  if (kept !== undefined) return Answer.result(request.id, kept);
  const send = (carried: UpstreamRequest) => ports.upstreams.send(tool.upstream, carried, exchange);
  return span === undefined ? send(sent) : span.follow(sent, tool.upstream, send);
}

function toSource(call: Call): Parameters<typeof rememberError>[1] {
  const { id, run, tool } = call;
  return { run, callId: id, upstream: tool.upstream, target: tool.name, snapshot: snapshotOf(call) };
}

interface Failed {
  readonly error: Answer;
  readonly inbound: Inbound;
}

/** The words of an error are a stranger's as well. */
async function treatError(ports: CallPorts, call: Call, { error, inbound }: Failed): Promise<Answer> {
  const { texts, masked } = ports;
  const { upstream, name } = call.tool;
  const from = { upstream, item: name, snapshot: inbound.snapshot };
  const kept = isQuiet(inbound.snapshot, call) ? withoutWords(upstream, error) : error;
  refuseUnsafePages(kept);
  await rememberError(ports, toSource(call), kept);
  const treated = (await texts?.treat(from, kept)) ?? kept;
  return (await masked?.fromUpstream(from, call.client, treated)) ?? treated;
}

function nameTool(subject: AuditSubject, tool: Tool): void {
  subject.upstream = tool.upstream;
  subject.target = tool.name;
  subject.digest = tool.digest;
  subject.tool = tool;
}

/** The arguments as they are sent; the record says who rewrote them. */
function toArgumentBytes({ verdict, guard, rewritten }: Decision, subject: AuditSubject, { request }: Inbound) {
  if (verdict.kind === 'rewrite') {
    subject.verdict = 'rewrite';
    subject.guard = guard;
    subject.reason = verdict.reason;
  }
  if (rewritten !== undefined) return Buffer.from(JSON.stringify(rewritten));
  const span = request.param('arguments');
  return span && request.bytes.subarray(span.start, span.end);
}

/** Of two calls that one yes would allow, this is the second one. */
function toSpent({ approvalId }: Settled): Decision {
  const reason = `The approval ${approvalId ?? ''} was used by another call. Call again to ask anew.`;
  return {
    verdict: { kind: 'deny', code: 'denied', reason },
    guard: 'approval',
    rewritten: undefined,
    cause: undefined,
  };
}

/** What policies hide is not there, for the caller; the record says what was tried. */
function noteHidden(
  { offers }: CallPorts,
  tool: Tool,
  {
    subject,
    record,
    snapshot,
  }: { readonly subject: AuditSubject; readonly record: CallRecord; readonly snapshot: Snapshot },
): void {
  const decision = offers?.noteHidden(tool, subject.client, { snapshot, notes: subject });
  if (decision === undefined) return;
  nameTool(subject, tool);
  record.upstream = tool.upstream;
  record.tool = tool.name;
  record.outcome = 'denied';
  record.guard = 'policy';
  record.reason = decision.reason;
}

function resolveTool(inbound: Inbound, onHidden: (tool: Tool) => void): Tool {
  const { request, view } = inbound;
  const name = member(request.params, 'name');
  if (typeof name !== 'string')
    throw new FaultError('invalid_params', 'tools/call needs "name": the name of a tool from tools/list.');
  const tool = view.tool(name);
  if (tool !== undefined) return tool;
  const hidden = view.hiddenTool(name);
  if (hidden !== undefined) onHidden(hidden);
  throw (
    // What it quotes is read where the call ends.
    findUnreachableOwner(inbound, name, undefined) ??
    new FaultError(
      'invalid_params',
      `Unknown tool: ${name.slice(0, 128)}. tools/list has the names.${unavailable(view.unavailable)}`,
    )
  );
}

function unavailable(upstreams: readonly { upstream: string; reason: string }[]): string {
  return upstreams.length === 0 ? '' : ` Not reachable now: ${upstreams.map((one) => one.upstream).join(', ')}.`;
}

const NO_ARGUMENTS: JsonObject = Object.freeze({});

function toCall(notes: AuditSubject, tool: Tool, { run, user, isOwnRun, plan, inbound }: ReadRun): Call {
  const { request, exchange, endpoint, snapshot, view } = inbound;
  const given = member(request.params, 'arguments');
  if (given !== undefined && !isObject(given))
    throw new FaultError('invalid_params', 'The "arguments" of tools/call are an object.');
  return {
    id: notes.callId,
    tool,
    client: exchange.client,
    run,
    user,
    isOwnRun,
    plan,
    endpoint,
    arguments: given ?? NO_ARGUMENTS,
    bytes: request.bytes.length,
    shown: view.shown,
    snapshot,
    notes,
  };
}

function toEdits(decision: Decision, tool: Tool, { request }: Inbound): Edit[] {
  const edits: Edit[] = [];
  if (tool.publicName !== tool.name) edits.push(request.setParam('name', JSON.stringify(tool.name)));
  if (decision.rewritten !== undefined) edits.push(request.setParam('arguments', JSON.stringify(decision.rewritten)));
  return edits;
}

/** What a guard threw is for the operator; the model only hears that it failed. */
function noteFailedGuard(ports: CallPorts, { guard, cause }: Decision, record: CallRecord): void {
  if (cause !== undefined)
    ports.log.error({ callId: record.callId, guard, error: cause }, 'a guard failed, so the call was denied');
}

/** What was found in a result, masked or cleaned stands on the record of its call. */
function noteRewritten({ verdict, guard }: Decision, record: CallRecord): void {
  if (verdict.kind !== 'rewrite') return;
  record.guard = guard;
  record.reason = verdict.reason;
}

interface Refused {
  readonly record: CallRecord;
  readonly approvalId?: string | undefined;
  /** The call ran, and it is its result that is refused. */
  readonly isAnswered?: boolean;
  /** Where the result is in quarantine. */
  readonly keptId?: string | undefined;
}

/**
 * A refusal as the model reads it: a tool error (MCP tools#error-handling: what the model can correct is a result),
 * marked so that programs can tell it from the tool's own. Fail closed: what still asks here was not allowed.
 */
function refuse(decision: Decision, { request }: Inbound, refused: Refused): Answer | undefined {
  const { record, approvalId, isAnswered = false, keptId } = refused;
  const { verdict, guard } = decision;
  if (verdict.kind === 'allow' || verdict.kind === 'rewrite') return undefined;
  record.outcome = isAnswered ? 'withheld' : 'denied';
  record.guard = guard;
  record.reason = verdict.reason;
  const code = verdict.kind === 'deny' ? verdict.code : 'denied';
  return Answer.result(request.id, {
    content: [{ type: 'text', text: verdict.reason }],
    isError: true,
    _meta: {
      'dev.sallyport/verdict': {
        kind: verdict.kind,
        code,
        guard: guard ?? '',
        reason: verdict.reason,
        ...(approvalId === undefined ? {} : { approval: approvalId }),
        ...(isAnswered ? { outcome: 'withheld' } : {}),
        ...(keptId === undefined ? {} : { result: keptId }),
      },
    },
  });
}
