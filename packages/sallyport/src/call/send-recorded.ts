import type { Snapshot } from '../config/settings.ts';
import type { Offer } from '../core/access.ts';
import { type AuditEnd, type AuditSubject, toAuditSubject } from '../core/audit.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Use } from '../guard/plan/plan.ts';
import type { OfferUse } from '../guard/policy/policy-engine.ts';
import type { KeptRequest } from '../guard/scan/results/kept-result.ts';
import { nextCallId } from './call-id.ts';
import type { Inbound } from './inbound.ts';
import { hideFault, isBehindHandles, rememberError, watchSaid } from './kept-servers.ts';
import { lookAtLeaving, revealLeaving } from './leaving.ts';
import { toRefusal } from './planned.ts';
import type { CallPorts } from './ports.ts';
import { refuseUnsafePages } from './refuse-unsafe-pages.ts';
import { readRefusal } from './resource-door.ts';
import { readRun, withoutOwn } from './run-of.ts';

export interface Sent extends Omit<UpstreamRequest, 'request' | 'paramHeaders'> {
  readonly upstream: string;
  /** What is read, got or completed, for the policies; left out: they do not speak of this request. */
  readonly offer?: Offer['kind'];
  /** The same for the plan of the run, as clients call it; left out: no plan can name it. */
  readonly use?: Use;
  /** Asked last of all doors: may the server be sent there? The id of a person's yes. @throws FaultError */
  readonly enter?: () => Promise<string | undefined> | undefined;
  /** It was decided with a call before. */
  readonly isDecided?: boolean;
  /** The server itself gave the URI. */
  readonly isListed?: boolean;
}

/** Sends a request that is no tool call: decided, and recorded before and after, as calls are. @throws FaultError */
export async function sendRecorded(ports: CallPorts, inbound: Inbound, sending: Sent): Promise<Answer> {
  const { request, exchange, snapshot } = inbound;
  const { upstream, offer, use: planned, isDecided, isListed, enter, ...sent } = sending;
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
  let isAnswered = false;
  const toStopped = () => (isAnswered ? 'withheld' : 'denied');
  const from = { upstream, item: sent.target ?? request.method, snapshot };
  const pass = (verdict: Verdict | undefined, guard = POLICY) => {
    if (verdict === undefined || verdict.kind === 'allow' || verdict.kind === 'rewrite') return;
    end = { outcome: toStopped(), guard, reason: 'reason' in verdict ? verdict.reason : undefined };
    throw toRefusal(guard, verdict);
  };
  try {
    const asker = readRun(inbound);
    const { run } = asker;
    const judged = ports.planned?.judge(
      asker,
      { upstream, target: from.item },
      isDecided === true ? 'decided' : planned,
    );
    pass(judged instanceof Promise ? await judged : judged, 'plan');
    const isHidden = isBehindHandles(snapshot, upstream);
    if (isHidden && planned === undefined) pass(toUnheard(upstream), 'handles');
    const meeting = ports.meetRun?.(run);
    if (meeting !== undefined) await meeting;
    const use = offer === undefined ? undefined : toUse(inbound, run, { kind: offer, upstream, id: sent.target ?? '' });
    if (use !== undefined) pass(ports.offers?.before(use, toAbout(subject, snapshot)));
    const given = { request, edits: sent.edits };
    const looked = await lookAtLeaving(ports, given, {
      ...{ id: subject.callId, client: exchange.client, endpoint: inbound.endpoint, run, user: asker.user, upstream },
      ...{ target: sent.target, isKnown: isDecided === true || isListed === true, snapshot },
      isSealed: exchange.exclusive === true,
    });
    const { decision, left } = looked;
    pass(decision?.verdict, decision?.guard);
    if (decision?.verdict.kind === 'rewrite')
      Object.assign(subject, { verdict: 'rewrite', guard: decision.guard, reason: decision.verdict.reason });
    const asking = from;
    const answering = ports.answers?.enter(
      { ...asker, inbound: { ...inbound, request: left.request } },
      asking,
      left.edits,
    );
    const entered = answering === undefined ? undefined : await answering;
    if (entered?.kind === 'stop') {
      subject.approval = entered.approvalId;
      pass(entered.decision.verdict, entered.decision.guard);
    }
    const leaving = entered?.kind === 'pass' ? entered : left;
    const entering = enter?.();
    if (entering !== undefined) subject.approval = await entering;
    const { paramsSpan: params, bytes } = left.request;
    const recorded = ports.audit.admit(subject, params && bytes.subarray(params.start, params.end));
    if (recorded !== undefined) await recorded;
    // After the record, as for calls.
    const owned = { client: exchange.client, tool: { upstream }, snapshot };
    const whole = await revealLeaving(ports, owned, { ...looked, left: leaving });
    exchange.vet = ports.vetting?.(inbound, upstream);
    exchange.vetAnswer = ports.answers?.watch(asker, asking);
    ports.masked?.watch(from, exchange);
    ports.texts?.watch(from, exchange);
    const data = { run, callId: subject.callId, upstream, target: sent.target ?? request.method, snapshot };
    if (snapshot.plans !== undefined) watchSaid(ports, exchange, { isQuiet: isHidden, about: data });
    const asked = toKeptRequest(subject, planned);
    const carried = { ...sent, ...whole, ...withoutOwn(whole.request, whole.edits), paramHeaders: undefined };
    const said =
      (await takeReleased(ports, inbound, asked)) ?? (await ports.upstreams.send(upstream, carried, exchange));
    isAnswered = true;
    const veiled = isHidden ? await ports.handled?.veil({ run, upstream, uri: sent.target, use: planned }, said) : said;
    // Fail closed: what is to be kept and cannot be is not shown.
    if (veiled === undefined) throw new FaultError('denied', `What "${upstream}" answered cannot be kept here.`);
    const answer = veiled;
    refuseUnsafePages(answer);
    if (use !== undefined && answer.isResult) pass(ports.offers?.after(use, toAbout(subject, snapshot)));
    const noted = answer.isResult ? ports.remember?.(data, answer) : rememberError(ports, data, answer);
    if (noted !== undefined) await noted;
    const treating = ports.texts?.treat({ upstream, item: sent.target, asked, snapshot }, answer) ?? answer;
    const treated = treating instanceof Promise ? await treating : treating;
    const masked = (await ports.masked?.fromUpstream(from, exchange.client, treated)) ?? treated;
    body = masked.bytes.subarray(masked.bodySpan.start, masked.bodySpan.end);
    end = { outcome: masked.isResult ? 'ok' : 'error', reason: undefined };
    return (await ports.masked?.toCaller(owned, masked)) ?? masked;
  } catch (error) {
    const raised = toFault(error);
    const thrown = ports.texts?.fault(from, raised) ?? raised;
    const fault = ports.masked?.fault(from, thrown) ?? thrown;
    const refusal = readRefusal(fault);
    if (refusal !== undefined) {
      end = { outcome: toStopped(), guard: refusal.guard, reason: fault.message };
      subject.approval ??= refusal.approvalId;
    } else if (end.outcome !== toStopped())
      end = { outcome: fault.code === 'cancelled' ? 'cancelled' : 'failed', reason: fault.message };
    throw hideFault(snapshot, upstream, fault);
  } finally {
    const ms = performance.now() - startedAt;
    if (end.outcome === 'denied') ports.metrics?.denied(end.guard);
    ports.audit.finish(subject, { guard: undefined, ...end, ms, resultBytes: body?.length ?? 0 }, body);
  }
}

const POLICY = 'policy';

function toUse({ request, exchange }: Inbound, run: string, offer: Offer): OfferUse {
  const given = member(request.params, 'arguments');
  return { offer, client: exchange.client, run, arguments: isObject(given) ? given : {} };
}

/**
 * What a resource or a prompt is known by when it is asked for again; `undefined`: nobody keeps such an answer. A tool whose
 * name is a method and a URI is one of the same server's, and its result is no contents.
 */
function toKeptRequest(subject: AuditSubject, use: Use | undefined): KeptRequest | undefined {
  const { callId, client, method, upstream, target } = subject;
  if (use === undefined || upstream === undefined || target === undefined) return undefined;
  return {
    id: callId,
    client,
    tool: { upstream, name: `${method} ${target}` },
    arguments: use.arguments,
    notes: subject,
  };
}

/** What a person released for this request is given without asking the server again. */
async function takeReleased(ports: CallPorts, { request }: Inbound, asked: KeptRequest | undefined) {
  const taking = asked && ports.keptResults?.take(asked);
  const released = taking === undefined ? undefined : await taking;
  return released === undefined ? undefined : Answer.result(request.id, released);
}

function toAbout(subject: AuditSubject, snapshot: Snapshot) {
  return { callId: subject.callId, notes: subject, snapshot };
}

/** Completions, news of tasks and what is not known here are made of texts that no handle could stand for. */
function toUnheard(upstream: string): Verdict {
  const reason = `Texts of "${upstream}" are kept: it answers calls, and requests for its resources and prompts, and nothing else.`;
  return { kind: 'deny', code: 'denied', reason };
}
