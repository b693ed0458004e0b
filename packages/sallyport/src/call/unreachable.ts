import type { View } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import type { Inbound } from './inbound.ts';
import type { Passing } from './passing.ts';
import type { CallPorts } from './ports.ts';
import { judgeFault, toContext } from './watch.ts';

/**
 * A name that is not known may be right: its upstream cannot be reached now. "Unknown tool" alone would send people looking
 * in the wrong place.
 * @throws FaultError `unreachable` where that is so; its words are read as those of that upstream
 */
export function refuseUnreachable(passing: Passing, name: string): void {
  const { endpoint, view } = passing.inbound;
  const owner = view.unavailable.find(
    ({ upstream }) => endpoint.kind === 'server' || name.startsWith(`${upstream}_`) || name.startsWith(`${upstream}+`),
  );
  if (owner === undefined) return;
  passing.quoted = owner.upstream;
  throw toUnreachable('unreachable', owner);
}

type Code = 'not_ready' | 'unreachable';

interface Asking extends Pick<Inbound, 'endpoint' | 'view' | 'snapshot'> {
  readonly exchange: Pick<Inbound['exchange'], 'client'>;
}

/**
 * The endpoint of one server has nothing to introduce itself with, nor a list, before that server was reached: a client
 * would take an empty answer for the whole truth for as long as its session lasts.
 * @param missing what the client asks for
 * @returns an error that clients retry; `undefined`: there is something to answer
 */
export function findUnreached(
  ports: CallPorts,
  asking: Asking,
  { code, missing }: { readonly code: Code; readonly missing: boolean },
): Promise<FaultError> | undefined {
  const { endpoint, view } = asking;
  const [owner] = view.unavailable;
  if (endpoint.kind !== 'server' || !missing || owner === undefined) return undefined;
  return judgeFault(ports, toContext(asking, owner.upstream), toUnreachable(code, owner));
}

function toUnreachable(code: Code, { upstream, reason }: View['unavailable'][number]): FaultError {
  // A key of the configuration stays as it is written there.
  const said = reason.replace(/^[a-z](?=[a-z]{0,32} )/, (letter) => letter.toUpperCase());
  const sentence = `${said}${/[.!?]$/.test(reason) ? '' : '.'}`;
  return new FaultError(code, `"${upstream}" cannot be used now. ${sentence}`);
}
