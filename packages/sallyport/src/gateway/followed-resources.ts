import { followResource, unfollowResource } from '../call/follow.ts';
import type { Inbound } from '../call/inbound.ts';
import { resourceOwners } from '../call/read-resource.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { GatewayPorts } from './ports.ts';

/** One session may follow this many resources, as one listening stream may. */
const MAX_FOLLOWED = 1_000;

/** The resources that one session follows (2025-11-25 resources#subscriptions). */
export class FollowedResources {
  readonly #ports: GatewayPorts;
  /** By owner and URI there, as the client calls it. */
  readonly #uris = new Map<string, string>();

  constructor(ports: GatewayPorts) {
    this.#ports = ports;
  }

  /** As the client calls what it follows; `undefined`: it does not. */
  uriOf(upstream: string, uri: string): string | undefined {
    return this.#uris.get(`${upstream}\n${uri}`);
  }

  /** `resources/subscribe` and `resources/unsubscribe`. @throws FaultError */
  async change(inbound: Inbound): Promise<Answer> {
    const { request } = inbound;
    const owner = resourceOwners(inbound)[0];
    const uri = String(member(request.params, 'uri'));
    if (owner === undefined)
      throw new FaultError('resource_not_found', `Resource not found: ${uri.slice(0, 256)}`, { data: { uri } });
    const key = `${owner.upstream}\n${owner.uri}`;
    if (request.method === 'resources/unsubscribe') {
      this.#uris.delete(key);
      return unfollowResource(this.#ports, inbound, { owner, uri });
    }
    if (this.#uris.size >= MAX_FOLLOWED && !this.#uris.has(key))
      throw new FaultError(
        'too_many',
        `This session follows ${MAX_FOLLOWED} resources already. Unsubscribe from one first.`,
      );
    const answer = await followResource(this.#ports, inbound, { owner, uri });
    if (answer.result !== undefined) this.#uris.set(key, uri);
    return answer;
  }
}
