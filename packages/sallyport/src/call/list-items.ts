import type { ListKind, Page } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { createPause, runPaced } from '../guard/policy/pace.ts';
import type { Inbound } from './inbound.ts';

/**
 * One page of a list, served from the catalogue: no upstream is asked. A promise where policies have to be asked first.
 * @throws FaultError `invalid_params` for a cursor that is none of ours.
 */
export function listItems({ request, view }: Inbound, kind: ListKind): Page | Promise<Page> {
  const cursor = member(request.params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new FaultError('invalid_params', 'A cursor is the string nextCursor gave.');
  const steps = view.prepare(kind);
  if (steps === undefined) return view.list(kind, cursor);
  return runPaced(steps, createPause()).then(() => view.list(kind, cursor));
}
