import type { ListKind, Page } from '../catalog/catalog.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Inbound } from './inbound.ts';

/**
 * One page of a list, served from the catalogue: no upstream is asked.
 * @throws FaultError `invalid_params` for a cursor that is none of ours.
 */
export function listItems({ request, view }: Inbound, kind: ListKind): Page {
  const cursor = member(request.params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new FaultError('invalid_params', 'A cursor is the string nextCursor gave.');
  return view.list(kind, cursor);
}
