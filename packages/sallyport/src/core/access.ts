import type { Tool } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import type { Principal } from './principal.ts';

/**
 * May this caller know of this tool on this endpoint? Asked for every list and again for every call; synchronous, cheap
 * when asked again, and no where it cannot tell.
 */
export type MayUse = (principal: Principal, endpoint: Endpoint, tool: Tool) => boolean;

/** A resource, by its URI, template or not, or a prompt, by its name: each as its upstream calls it. */
export interface Offer {
  readonly kind: 'resource' | 'prompt';
  readonly upstream: string;
  readonly id: string;
}

/** What decides beside the configuration, e.g. the policy at discovery. */
export interface Access {
  /** Another number as soon as an answer may be another one: kept lists are made anew. `undefined`: every answer is yes now, so callers share their lists. */
  version(): number | undefined;
  readonly mayUse: MayUse;
  /** The same of a resource or prompt. Left out: every answer is yes. */
  mayReach?(principal: Principal, offer: Offer): boolean;
  /**
   * What of a caller the answers depend on: callers with equal texts are shown the same lists. `undefined`: nothing now.
   * Left out: everything a principal holds.
   */
  keyOf?(principal: Principal): string | undefined;
}
