import { FaultError } from '../core/errors.ts';
import type { Inbound } from './inbound.ts';

/**
 * Why a name is not known although it may be right: its upstream cannot be reached now. `undefined`: every upstream that
 * could own the name is there. "Unknown tool" alone would send people looking in the wrong place.
 */
export function findUnreachableOwner({ endpoint, view }: Inbound, name: string): FaultError | undefined {
  const owner = view.unavailable.find(
    ({ upstream }) => endpoint.kind === 'server' || name.startsWith(`${upstream}_`) || name.startsWith(`${upstream}+`),
  );
  return owner && new FaultError('unreachable', `"${owner.upstream}" cannot be used now. ${toSentence(owner.reason)}`);
}

function toSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
