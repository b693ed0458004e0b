import { FaultError } from '../core/errors.ts';
import type { Inbound } from './inbound.ts';
import { hideFault } from './kept-servers.ts';
import type { TextDoor } from './text-door.ts';

/**
 * Why a name is not known although it may be right: its upstream cannot be reached now. `undefined`: every upstream that
 * could own the name is there. "Unknown tool" alone would send people looking in the wrong place.
 */
export function findUnreachableOwner(
  { endpoint, view, snapshot }: Inbound,
  name: string,
  texts: Pick<TextDoor, 'fault'> | undefined,
): FaultError | undefined {
  const owner = view.unavailable.find(
    ({ upstream }) => endpoint.kind === 'server' || name.startsWith(`${upstream}_`) || name.startsWith(`${upstream}+`),
  );
  if (owner === undefined) return undefined;
  const fault = new FaultError('unreachable', `"${owner.upstream}" cannot be used now. ${toSentence(owner.reason)}`);
  return hideFault(snapshot, owner.upstream, texts?.fault({ upstream: owner.upstream, snapshot }, fault) ?? fault);
}

function toSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
