import type { ListKind } from '../catalog/catalog.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Inbound } from './inbound.ts';

/** One page of a list as JSON text, with how long it stays true. Served from the catalogue: no upstream is asked. */
export interface ListPage {
  readonly items: string;
  readonly nextCursor: string | undefined;
  readonly ttlMs: number;
}

/** @throws FaultError `invalid_params` for a cursor that is none of ours. */
export function listItems({ request, view }: Inbound, kind: ListKind): ListPage {
  const cursor = member(request.params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new FaultError('invalid_params', 'A cursor is the string nextCursor gave.');
  return view.list(kind, cursor);
}
