import { type Envelope, NOTHING } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange, Watch } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { sizeOf } from '../core/large-body.ts';
import { type Answer, Notification, parseMessage } from '../core/message.ts';
import { type Decision, inspect, needsReading } from '../guard/guard.ts';
import { nextCallId } from './call-id.ts';
import { judgeResponse } from './client-responses.ts';
import type { Inbound } from './inbound.ts';
import { withOwnCancel } from './own-cancel.ts';
import type { CallPorts } from './ports.ts';
import { toRefusal } from './refusal.ts';
import type { ReadRun } from './run-of.ts';

export interface Watched {
  readonly about: ReadRun;
  /** The request that is at its server. */
  readonly asked: Envelope;
}

/** Judges what a server says while it works on a request, and what the client responds. */
export function watch(ports: CallPorts, { about, asked }: Watched): Watch {
  const context = { ...asked, asked };
  const repeats: Repeats = { allowed: undefined };
  return {
    notification: (said) => judgeNotification(ports, context, said, repeats),
    request: (method, params) => judgeRequest(ports, { about, asked }, { method, params }),
    response: (method, answer) => judgeResponse(ports, { about, asked, method }, answer),
  };
}

/** The last notification that passed as it came: one that differs in how far it is needs no reading. */
export interface Repeats {
  allowed: string | undefined;
}

/** More than that is cheaper to read than to compare. Characters. */
const MAX_REPEATED = 4_096;

/**
 * A notification of a server as the client gets it; `undefined`: it does not.
 * @param context of the request it belongs to, or of the client that follows its server
 */
export function judgeNotification(
  ports: CallPorts,
  context: Envelope,
  said: Notification,
  repeats: Repeats,
): Notification | undefined | Promise<Notification | undefined> {
  const { guards } = ports.chains('server_notification', context.snapshot);
  if (guards.length === 0 || !needsReading(guards, context.asked ?? context)) return said;
  const { method, params, bytes } = said;
  const words = bytes.length > MAX_REPEATED ? undefined : wordsOf(context.upstream, method, params);
  if (words !== undefined && words === repeats.allowed) return said;
  const envelope = toServerEnvelope(context, {
    ...{ kind: 'server_notification', target: method, body: params, bytes: bytes.length },
  });
  const judging = inspect(guards, envelope);
  const settle = ({ verdict, guard, rewritten }: Decision): Notification | undefined => {
    if (verdict.kind === 'deny' || verdict.kind === 'ask') {
      const about = { upstream: context.upstream, method: method.slice(0, 64), guard, reason: verdict.reason };
      ports.log.warn(about, 'a notification of a server was withheld');
      return undefined;
    }
    if (rewritten !== undefined) return rewrite(said, rewritten);
    repeats.allowed = words;
    return said;
  };
  return judging instanceof Promise ? judging.then(settle) : settle(judging);
}

/** Everything a server says in it but the numbers that count up. */
function wordsOf(upstream: string, method: string, params: JsonObject): string {
  const words = { ...params };
  for (const name of ['progress', 'total']) if (typeof words[name] === 'number') words[name] = 0;
  return JSON.stringify([upstream, method, words]);
}

/** Of what belongs to no request, or to one that went nowhere. */
export function toContext(
  {
    exchange,
    endpoint,
    snapshot,
  }: Pick<Inbound, 'endpoint' | 'snapshot'> & { readonly exchange: Pick<Exchange, 'client'> },
  upstream: string,
): Envelope {
  const { client } = exchange;
  return {
    ...{ kind: 'request', id: nextCallId(), client, endpoint, run: client.key, user: undefined, isOwnRun: false },
    ...{ plan: undefined, snapshot, upstream, target: '', publicTarget: '', item: undefined, tool: undefined },
    ...{ body: NOTHING, fixed: NOTHING, bytes: 0, shown: undefined, notes: undefined, asked: undefined },
  };
}

type Said = Pick<Envelope, 'kind' | 'target' | 'body' | 'bytes'>;

function toServerEnvelope(context: Envelope, said: Said): Envelope {
  const none = { item: undefined, tool: undefined, fixed: NOTHING };
  return { ...context, ...said, ...none, publicTarget: said.target };
}

/** The token of progress is the client's own, as it wrote it: a number may be beyond what a double holds. */
function rewrite(notification: Notification, params: JsonObject): Notification {
  const own = Notification.of(notification.method, params);
  const token = notification.param('progressToken');
  if (token === undefined) return own;
  const edit = own.setParam('progressToken', notification.bytes.toString('utf8', token.start, token.end));
  const message = parseMessage(Buffer.from(own.write([edit]), 'latin1'));
  return message instanceof Notification ? message : own;
}

/** The client gets the server's own bytes, or nothing. @throws FaultError `denied`, `cancelled` */
async function judgeRequest(
  ports: CallPorts,
  { about, asked }: Watched,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Promise<void> {
  const { inbound } = about;
  const { guards } = ports.chains('server_request', asked.snapshot);
  const body = toServerEnvelope(
    { ...asked, asked },
    {
      ...{ kind: 'server_request', target: method, body: params, bytes: sizeOf(params) },
    },
  );
  // What a person is asked about has an approval of its own.
  const envelope = { ...body, id: nextCallId(), notes: undefined };
  const first = await inspect(guards, envelope);
  if (first.cause !== undefined) ports.log.error({ guard: first.guard, error: first.cause }, 'a guard failed');
  const settled =
    first.verdict.kind === 'ask'
      ? await withOwnCancel(inbound.exchange, (exchange) =>
          ports.desk.settle(first, envelope, { ...inbound, exchange }),
        )
      : { decision: first, approvalId: undefined };
  const { decision, approvalId } = settled;
  const { verdict } = decision;
  if (verdict.kind === 'deny' || verdict.kind === 'ask')
    toRefusal(decision, { request: inbound.request, kind: 'server_request', approvalId });
  if (decision.rewritten !== undefined)
    throw new FaultError('denied', 'A server request is put to the client as it is, or not at all.');
  if (settled.spend !== undefined && !(await settled.spend()))
    throw new FaultError('denied', 'The approval was used by another request. Ask again.');
}

/** A task asks its questions in its status (SEP-2663): the client must not be asked there for what it is not asked for elsewhere. */
export async function judgeTaskQuestions({ watch: watching }: Exchange, answer: Answer): Promise<void> {
  const asked = answer.resultMember('inputRequests');
  if (!isObject(asked)) return;
  for (const question of Object.values(asked)) {
    const params = member(question, 'params');
    await watching?.request(String(member(question, 'method')), isObject(params) ? params : {});
  }
}

/** Faults of ours whose messages may quote what a server said. */
const QUOTING: ReadonlySet<string> = new Set([
  ...[
    'unreachable',
    'not_ready',
    'upstream_protocol',
    'upstream_unauthenticated',
    'overloaded',
    'timeout',
    'session_not_found',
  ],
]);

/**
 * A fault as the client may read it: what it quotes is read as an error of that server is. Never throws.
 * @param asked `undefined`: no server said anything
 */
export async function judgeFault(
  ports: Pick<CallPorts, 'chains'>,
  asked: Envelope | undefined,
  fault: FaultError,
): Promise<FaultError> {
  if (!QUOTING.has(fault.code) || asked === undefined) return fault;
  const { guards } = ports.chains('error', asked.snapshot);
  const { message, data, code } = fault;
  const body: JsonObject = { message, ...(data === undefined ? {} : { data }) };
  // Words of ours label no run: a server that is down has said nothing.
  const heard = fault.isQuoting ? guards : guards.filter(({ name }) => name !== 'taint-labels');
  const context = { ...asked, asked, fixed: NOTHING, bytes: sizeOf(body) };
  const { verdict, rewritten } = await inspect(heard, { ...context, kind: 'error', body });
  if (verdict.kind === 'deny' || verdict.kind === 'ask')
    return new FaultError(code, `"${asked.upstream}" failed, and what it said is withheld.`);
  if (rewritten === undefined) return fault;
  const left = rewritten['data'];
  return new FaultError(code, String(rewritten['message']), left === undefined ? {} : { data: left });
}
