import type { ResourceOwner } from '../catalog/contract.ts';
import { NAME, NOTHING } from '../core/envelope.ts';
import { Answer } from '../core/message.ts';
import type { TaskPort } from '../core/upstream-port.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { type Route, relay } from './relay.ts';

/** What clients follow at servers, and the log level they want: judged, recorded and sent as requests are. */

export interface Followed {
  readonly owner: ResourceOwner;
  /** As the client calls it. */
  readonly uri: string;
}

/** Follows a resource. @throws FaultError as {@link relay} */
export function followResource(ports: CallPorts, inbound: Inbound, followed: Followed): Promise<Answer> {
  const { upstream, uri } = followed.owner;
  return relay(ports, inbound, () => ({
    ...toRoute(followed),
    send: (_request, { client }) => ports.upstreams.subscribe(upstream, uri, client),
  }));
}

/** Follows it no longer. @throws FaultError as {@link relay} */
export function unfollowResource(ports: CallPorts, inbound: Inbound, followed: Followed): Promise<Answer> {
  const { upstream, uri } = followed.owner;
  return relay(ports, inbound, () => ({
    // It is followed, so that its server knows the URI.
    ...toRoute({ ...followed, owner: { ...followed.owner, isListed: true } }),
    send: (_request, { client }) => ports.upstreams.unsubscribe(upstream, uri, client),
  }));
}

function toRoute({ owner, uri }: Followed): Route {
  const fixed = owner.isListed ? NOTHING : { [NAME]: owner.uri };
  return {
    ...{ kind: 'subscription', item: 'resource', upstream: owner.upstream, target: owner.uri, publicTarget: uri },
    ...{ body: NOTHING, fixed },
  };
}

/** Follows a task of the caller's own (SEP-2663, task status notifications). @returns whether the upstream agreed */
export async function followTask(
  ports: CallPorts & { readonly tasks: TaskPort },
  inbound: Inbound,
  { upstream, taskId }: { readonly upstream: string; readonly taskId: string },
): Promise<boolean> {
  let isFollowed = false;
  await relay(ports, inbound, () => ({
    ...{ kind: 'subscription', upstream, target: taskId, body: NOTHING, fixed: NOTHING },
    send: async (request, { client }) => {
      isFollowed = await ports.tasks.followTask(upstream, taskId, client);
      return Answer.result(request.request.id, {});
    },
  }));
  return isFollowed;
}

/** The log level that a client wants of one server. @throws FaultError as {@link relay} */
export function setLogLevel(
  ports: CallPorts,
  inbound: Inbound,
  to: { upstream: string; level: string },
): Promise<Answer> {
  return relay(ports, inbound, () => ({
    ...{ kind: 'subscription', upstream: to.upstream, body: NOTHING, fixed: NOTHING },
    send: (_request, { client }) => ports.upstreams.setLogLevel(to.upstream, to.level, client),
  }));
}
