import { toAuditSubject } from '../core/audit.ts';
import type { Envelope } from '../core/envelope.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Notification } from '../core/message.ts';
import { type Decision, inspect } from '../guard/guard.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { readNotification } from './request-forms.ts';
import { readNotificationRun } from './run-of.ts';
import { toContext } from './watch.ts';

export interface Telling extends Pick<Inbound, 'endpoint' | 'snapshot'> {
  readonly exchange: Pick<Inbound['exchange'], 'client'>;
  readonly upstream: string;
}

/** Larger ones are no notifications of the protocol. Bytes. */
const MAX_BYTES = 65_536;

/**
 * A notification of a client on its way to one server: guards -> record -> send. It has no answer to put masked values back
 * into, and nobody can be asked about it.
 * @param send takes what was judged and recorded; left out: the server is told
 * @throws FaultError `denied`, `too_large`, `unrecorded`
 */
export async function tellServer(
  ports: CallPorts,
  telling: Telling,
  given: Notification,
  send: (told: Notification) => void | Promise<void> = (told) =>
    ports.upstreams.notify(telling.upstream, told, telling.exchange.client),
): Promise<void> {
  const { length: bytes } = given.bytes;
  const { client } = telling.exchange;
  const context = toContext(telling, telling.upstream);
  const subject = toAuditSubject(context.id, given.method, {
    ...{ client, requestBytes: bytes, snapshotVersion: telling.snapshot.version },
  });
  subject.upstream = telling.upstream;
  subject.target = given.method;
  const startedAt = performance.now();
  let end: Pick<Parameters<CallPorts['audit']['finish']>[1], 'outcome' | 'guard' | 'reason'> = {
    ...{ outcome: 'failed', guard: undefined, reason: undefined },
  };
  try {
    if (bytes > MAX_BYTES) throw new FaultError('too_large', `A notification has at most ${MAX_BYTES} bytes.`);
    const { run, notification } = readNotificationRun(client, given);
    const { method } = notification;
    const said = { run, target: method, publicTarget: method, bytes, notes: subject };
    const envelope: Envelope = { ...context, ...said, kind: 'client_notification', ...readNotification(notification) };
    subject.said = envelope;
    const decision = await judge(ports, envelope);
    const { verdict, guard } = decision;
    if (verdict.kind === 'deny' || verdict.kind === 'ask') {
      end = { outcome: 'denied', guard, reason: verdict.reason };
      ports.metrics?.denied(guard);
      throw new FaultError('denied', verdict.reason);
    }
    const { paramsSpan: params } = notification;
    await ports.audit.admit(subject, params && notification.bytes.subarray(params.start, params.end));
    await send(notification);
    end = { outcome: 'ok', guard: undefined, reason: undefined };
  } catch (error) {
    const fault = toFault(error);
    if (end.outcome !== 'denied') end = { outcome: 'failed', guard: undefined, reason: fault.message };
    throw fault;
  } finally {
    ports.audit.finish(subject, { ...end, ms: performance.now() - startedAt, resultBytes: 0 }, undefined);
  }
}

async function judge(ports: CallPorts, envelope: Envelope): Promise<Decision> {
  const decision = await inspect(ports.chains('client_notification', envelope.snapshot).guards, envelope);
  if (decision.cause !== undefined) ports.log.error({ callId: envelope.id, error: decision.cause }, 'a guard failed');
  if (decision.verdict.kind !== 'rewrite') return decision;
  const reason = `Nothing can be left out of a notification. ${decision.verdict.reason}`;
  return { ...decision, verdict: { kind: 'deny', code: 'denied', reason } };
}
