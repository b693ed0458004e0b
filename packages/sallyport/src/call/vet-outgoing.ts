import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Notification } from '../core/message.ts';
import { type Outgoing, toNamed } from '../guard/outgoing.ts';
import { tokensOf } from '../guard/secrets/put-back.ts';
import { nextCallId } from './call-id.ts';
import { type Placed, toRefusal } from './planned.ts';
import type { CallPorts } from './ports.ts';
import { readRun } from './run-of.ts';

/**
 * What goes to a server and has no answer to put masked values back into: what a client wants to follow, and its news. It is
 * held to what is ruled about arguments, as requests are (`send-recorded.ts`).
 */

type Ports = Pick<CallPorts, 'outgoing' | 'log'>;

/** The URI of a resource, or the id of a task, that a client wants to follow. @throws FaultError `denied`. */
export function vetFollowed(
  ports: Ports,
  placed: Placed & { readonly snapshot: { readonly version: number } },
  { upstream, names }: { readonly upstream: string; readonly names: string },
): Promise<void> {
  const { run, user } = readRun(placed);
  const { request, exchange, endpoint, snapshot } = placed;
  const sender = { client: exchange.client, endpoint, run, user, snapshotVersion: snapshot.version };
  return vet(ports, { ...sender, upstream, target: names, values: {}, names, bytes: request.bytes.length });
}

/** News that a client has for a server. @throws FaultError `denied`. */
export function vetNews(
  ports: Ports,
  sender: Pick<Outgoing, 'client' | 'endpoint' | 'snapshotVersion'>,
  { upstream, news }: { readonly upstream: string; readonly news: Notification },
): Promise<void> {
  const { _meta: _, ...values }: JsonObject = news.params;
  const about = { ...sender, run: sender.client.key, user: undefined, upstream, target: news.method };
  return vet(ports, { ...about, values, names: undefined, bytes: news.bytes.length });
}

async function vet({ outgoing, log }: Ports, sent: Omit<Outgoing, 'id'>): Promise<void> {
  const looking = outgoing?.({ id: nextCallId(), ...sent });
  if (looking === undefined) return;
  const { verdict, guard = '', cause } = await looking;
  if (cause !== undefined) log.error({ upstream: sent.upstream, guard, error: cause }, 'a guard failed');
  if (verdict.kind !== 'allow') throw toRefusal(guard, verdict);
  if (tokensOf(toNamed(sent.values, sent.names)).length > 0)
    throw new FaultError(
      'denied',
      'What holds a masked value ({{secret:…}}) is read and called, not followed or told.',
    );
}
