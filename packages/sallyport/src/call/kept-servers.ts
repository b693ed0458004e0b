import { isKept } from '../config/plans-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Call } from '../core/call.ts';
import { type FailureCode, FaultError, toFault } from '../core/errors.ts';
import type { Exchange, Vet } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer, Notification } from '../core/message.ts';
import { handlesIn } from '../guard/plan/handle.ts';
import type { ReadData } from '../guard/taint/taint.ts';

/**
 * Every way by which words of a server reach a client beside its results: errors, faults that quote it, news and
 * questions. Of a server whose texts are behind handles none of them is open.
 */
export function isBehindHandles({ plans }: Pick<Snapshot, 'plans'>, upstream: string): boolean {
  return plans !== undefined && isKept(plans, upstream);
}

/** The same of one call: a server that is given a kept text may say it, whoever it is. */
export function isQuiet(
  snapshot: Pick<Snapshot, 'plans'>,
  { tool, arguments: args }: Pick<Call, 'tool' | 'arguments'>,
): boolean {
  return snapshot.plans !== undefined && (isKept(snapshot.plans, tool.upstream) || handlesIn(args).length > 0);
}

/** An answer that only says whether it went well: to a subscription, or an error. */
export function withoutWords(upstream: string, answer: Answer): Answer {
  if (answer.isResult) return Answer.result(answer.id === '' ? '0' : answer.id, {});
  return Answer.error(
    answer.id,
    answer.errorCode ?? -32603,
    `"${upstream}" answered with an error, whose text is not shown.`,
  );
}

/** The same for one that is still to come. @throws FaultError without its words */
export async function answerWithoutWords(
  snapshot: Pick<Snapshot, 'plans'>,
  upstream: string,
  asked: Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await asked;
    return isBehindHandles(snapshot, upstream) ? withoutWords(upstream, answer) : answer;
  } catch (error) {
    throw hideFault(snapshot, upstream, toFault(error));
  }
}

/** Those that quote what a server said, e.g. why it refused the handshake. */
const QUOTING: ReadonlySet<FailureCode> = new Set([
  'unreachable',
  'not_ready',
  'upstream_protocol',
  'upstream_unauthenticated',
  'overloaded',
  'session_not_found',
]);

/** The fault as a client may read it. */
export function hideFault(snapshot: Pick<Snapshot, 'plans'>, upstream: string, fault: FaultError): FaultError {
  return isBehindHandles(snapshot, upstream) ? withoutQuotes(upstream, fault) : fault;
}

export function withoutQuotes(upstream: string, fault: FaultError): FaultError {
  return QUOTING.has(fault.code)
    ? new FaultError(fault.code, `"${upstream}" failed, and what it said is not shown.`)
    : fault;
}

/** A notification that belongs to no request; `undefined`: the client does not get it. */
export function hideNews(
  snapshot: Pick<Snapshot, 'plans'>,
  { upstream, notification }: { readonly upstream: string; readonly notification: Notification },
): Notification | undefined {
  return isBehindHandles(snapshot, upstream) ? withoutText(notification) : notification;
}

function withoutText({ method, params }: Notification): Notification | undefined {
  const kept = KNOWN_NEWS.get(method);
  if (kept === undefined) return undefined;
  const members = kept.filter((key) => Object.hasOwn(params, key)).map((key) => [key, params[key]]);
  return Notification.of(method, Object.fromEntries(members) as JsonObject); // members of params
}

/** What is no text in news: the token and the URI are the client's own. */
const KNOWN_NEWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/progress', ['progressToken', 'progress', 'total']],
  ['notifications/resources/updated', ['uri']],
]);

/** A question that holds no words for a model: which folders there are. */
const WORDLESS = 'roots/list';

/**
 * Looks at what an upstream says while it works on a request of a run. Where plans are on, a question counts as read:
 * whoever answered it can be at work in the plan that comes after.
 */
export function watchSaid(ports: Remembering, exchange: Exchange, { isQuiet: isKeptQuiet, about }: Watched): void {
  const { upstream } = about;
  const { vet } = exchange;
  if (isKeptQuiet) {
    exchange.tell = withoutText;
    const refuse: Vet = (method, params) => {
      if (method === WORDLESS) return vet?.(method, params);
      throw new FaultError('denied', `Texts of "${upstream}" are kept from the client, so that it may not ask.`);
    };
    exchange.vet = refuse;
    return;
  }
  const note: Vet = async (method, params) => {
    await rememberSaid(ports, about, params);
    await vet?.(method, params);
  };
  if (ports.remember !== undefined) exchange.vet = note;
}

/** Where what runs have read is kept, as in `CallPorts`. */
interface Remembering {
  readonly remember?: ((about: Omit<ReadData, 'result'>, answer: Answer) => Promise<void> | undefined) | undefined;
}

interface Watched {
  /** Nothing it says is shown. */
  readonly isQuiet: boolean;
  readonly about: Omit<ReadData, 'result'>;
}

/** What was said beside a result, e.g. in an error, is read by a model all the same. */
export async function rememberError(
  ports: Remembering,
  about: Omit<ReadData, 'result'>,
  answer: Answer,
): Promise<void> {
  if (ports.remember !== undefined && answer.outcome.kind === 'error')
    await rememberSaid(ports, about, answer.outcome.error);
}

async function rememberSaid(
  { remember }: Remembering,
  about: Omit<ReadData, 'result'>,
  said: JsonObject,
): Promise<void> {
  await remember?.(about, Answer.result('0', said));
}
