import type { ListKind, Page } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { createPause, runPaced } from '../core/pace.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { findUnreached } from './unreachable.ts';

/**
 * One page of a list, served from the catalogue: no upstream is asked. A promise where policies have to be asked first.
 * @throws FaultError `invalid_params` for a cursor that is none of ours; `unreachable` where the one server of the
 * endpoint has not given its list.
 */
export function listItems(ports: CallPorts, inbound: Inbound, kind: ListKind): Page | Promise<Page> {
  const { request, view } = inbound;
  const cursor = member(request.params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new FaultError('invalid_params', 'A cursor is the string nextCursor gave.');
  const steps = view.prepare(kind);
  if (steps === undefined) return toPage();
  return runPaced(steps, createPause()).then(toPage);

  function toPage(): Page | Promise<Page> {
    const page = view.list(kind, cursor as string | undefined);
    const failing = findUnreached(ports, inbound, { code: 'unreachable', missing: page.missing.length > 0 });
    return failing === undefined ? page : failing.then((fault) => Promise.reject(fault));
  }
}
