import type { ListKind, Page } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { createPause, runPaced } from '../core/pace.ts';
import type { Inbound } from './inbound.ts';
import type { TextDoor } from './text-door.ts';
import { assertReached } from './unreachable.ts';

/**
 * One page of a list, served from the catalogue: no upstream is asked. A promise where policies have to be asked first.
 * @throws FaultError `invalid_params` for a cursor that is none of ours; `unreachable` where the one server of the
 * endpoint has not given its list.
 */
export function listItems(
  inbound: Inbound,
  kind: ListKind,
  texts: Pick<TextDoor, 'fault'> | undefined,
): Page | Promise<Page> {
  const { request, view } = inbound;
  const cursor = member(request.params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new FaultError('invalid_params', 'A cursor is the string nextCursor gave.');
  const steps = view.prepare(kind);
  if (steps === undefined) return toPage();
  return runPaced(steps, createPause()).then(toPage);

  function toPage(): Page {
    const page = view.list(kind, cursor as string | undefined);
    assertReached('unreachable', inbound, { missing: page.missing.length > 0, texts });
    return page;
  }
}
