import { FaultError } from '../core/errors.ts';
import type { Inbound } from './inbound.ts';
import { hideFault } from './kept-servers.ts';
import type { TextDoor } from './text-door.ts';

type Asking = Pick<Inbound, 'endpoint' | 'view' | 'snapshot'>;
type Texts = Pick<TextDoor, 'fault'> | undefined;

/**
 * Why a name is not known although it may be right: its upstream cannot be reached now. `undefined`: every upstream that
 * could own the name is there. "Unknown tool" alone would send people looking in the wrong place.
 */
export function findUnreachableOwner(
  { endpoint, view, snapshot }: Asking,
  name: string,
  texts: Texts,
): FaultError | undefined {
  const owner = view.unavailable.find(
    ({ upstream }) => endpoint.kind === 'server' || name.startsWith(`${upstream}_`) || name.startsWith(`${upstream}+`),
  );
  return owner === undefined ? undefined : toUnreachable('unreachable', snapshot, { ...owner, texts });
}

/**
 * The endpoint of one server has nothing to introduce itself with, nor a list, before that server was reached: a client
 * would take an empty answer for the whole truth for as long as its session lasts.
 * @throws FaultError that clients retry
 */
export function assertReached(
  code: 'not_ready' | 'unreachable',
  { endpoint, view, snapshot }: Asking,
  { missing, texts }: { readonly missing: boolean; readonly texts: Texts },
): void {
  const [owner] = view.unavailable;
  if (endpoint.kind === 'server' && missing && owner !== undefined)
    throw toUnreachable(code, snapshot, { ...owner, texts });
}

function toUnreachable(
  code: 'not_ready' | 'unreachable',
  snapshot: Inbound['snapshot'],
  { upstream, reason, texts }: { readonly upstream: string; readonly reason: string; readonly texts: Texts },
): FaultError {
  const fault = new FaultError(code, `"${upstream}" cannot be used now. ${toSentence(reason)}`);
  return hideFault(snapshot, upstream, texts?.fault({ upstream, snapshot }, fault) ?? fault);
}

function toSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? '' : '.'}`;
}
