import { toAuditSubject } from '../core/audit.ts';
import type { CallSnapshot } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { Notification } from '../core/message.ts';
import { NAMES, type Outgoing, toWhole } from '../guard/outgoing.ts';
import { tokensOf } from '../guard/secrets/put-back.ts';
import { nextCallId } from './call-id.ts';
import { carriedByNews } from './carried.ts';
import { type Placed, toRefusal } from './planned.ts';
import type { CallPorts } from './ports.ts';
import { readNewsRun, readRun } from './run-of.ts';

/**
 * What goes to a server and has no answer to put masked values back into: what a client wants to follow, and its news. It is
 * held to what is ruled about arguments, as requests are (`send-recorded.ts`), and recorded where it is stopped.
 */

type Ports = Pick<CallPorts, 'outgoing' | 'audit' | 'metrics' | 'log'>;

/** The URI of a resource, or the id of a task, that a client wants to follow. @throws FaultError `denied`. */
export async function vetFollowed(
  ports: Ports,
  placed: Placed & { readonly snapshot: CallSnapshot },
  { upstream, name }: { readonly upstream: string; readonly name: string },
): Promise<void> {
  const { run, user } = readRun(placed);
  const { request, exchange, endpoint, snapshot } = placed;
  const sender = { client: exchange.client, endpoint, run, user, snapshot };
  const carried = { values: {}, fixed: { [NAMES]: name } };
  await vet(ports, request.method, { ...sender, ...carried, upstream, target: name, bytes: request.bytes.length });
}

/** Larger news are no news of the protocol. Bytes. */
const MAX_NEWS = 65_536;

/**
 * News that a client has for a server.
 * @returns them without what is for Sallyport
 * @throws FaultError `denied`, `too_large`.
 */
export async function vetNews(
  ports: Ports,
  sender: Pick<Outgoing, 'endpoint' | 'snapshot'> & { readonly client: Client },
  { upstream, news }: { readonly upstream: string; readonly news: Notification },
): Promise<Notification> {
  const { length } = news.bytes;
  if (length > MAX_NEWS) throw new FaultError('too_large', `A notification has at most ${MAX_NEWS} bytes.`);
  const { run, notification } = readNewsRun(sender.client, news);
  const about = { ...sender, run, user: undefined, upstream, target: news.method, bytes: length };
  await vet(ports, news.method, { ...about, ...carriedByNews(notification) });
  return notification;
}

async function vet(ports: Ports, method: string, sent: Omit<Outgoing, 'id'>): Promise<void> {
  const id = nextCallId();
  const looking = ports.outgoing?.({ id, ...sent });
  if (looking === undefined) return;
  const startedAt = performance.now();
  const { verdict, guard = '', cause } = await looking;
  const { upstream, target, client, bytes: requestBytes, snapshot } = sent;
  if (cause !== undefined) ports.log.error({ callId: id, upstream, guard, error: cause }, 'a guard failed');
  const fault =
    verdict.kind !== 'allow'
      ? toRefusal(guard, verdict)
      : tokensOf(toWhole(sent)).length === 0
        ? undefined
        : toRefusal('secrets', { kind: 'deny', code: 'denied', reason: NO_TOKENS });
  if (fault === undefined) return;
  const subject = toAuditSubject(id, method, { client, requestBytes, snapshotVersion: snapshot.version });
  subject.upstream = upstream;
  subject.target = target;
  const ms = performance.now() - startedAt;
  ports.audit.finish(subject, { outcome: 'denied', guard, reason: fault.message, ms, resultBytes: 0 }, undefined);
  ports.metrics?.denied(guard);
  throw fault;
}

const NO_TOKENS = 'What holds a masked value ({{secret:…}}) is read and called, not followed or told.';
