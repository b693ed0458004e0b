import type { ListKind, Page } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { createPause, runPaced } from '../core/pace.ts';
import type { Inbound } from './inbound.ts';
import { listTools } from './own-tools.ts';
import type { CallPorts } from './ports.ts';
import { mayReach } from './relay-request.ts';
import { askForPage } from './server-page.ts';
import { findUnreached } from './unreachable.ts';

/** The answer: of a server that gives no page. */
export type Listed = Page | Answer;

/**
 * One page of a list, served from the catalogue: no upstream is asked, unless the cursor is its own and is not known here. A promise where policies have to be asked first.
 * @throws FaultError `invalid_params` for a cursor that is none of ours; `unreachable` where the one server of the
 * endpoint has not given its list.
 */
export function listItems(ports: CallPorts, inbound: Inbound, kind: ListKind): Listed | Promise<Listed> {
  const { request, view, endpoint } = inbound;
  const cursor = member(request.params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new FaultError('invalid_params', 'A cursor is the string nextCursor gave.');
  const steps = view.prepare(kind);
  if (steps === undefined) return toPage();
  return runPaced(steps, createPause()).then(toPage);

  function toPage(): Listed | Promise<Listed> {
    if (typeof cursor === 'string' && endpoint.kind === 'server' && !view.hasPage(kind, cursor)) {
      if (mayReach(ports, request.method, inbound))
        return askForPage(ports, inbound, { kind, upstream: endpoint.name });
    }
    const from = cursor as string | undefined;
    const page = kind === 'tools' ? listTools(ports, inbound, from) : view.list(kind, from);
    const failing = findUnreached(ports, inbound, { code: 'unreachable', missing: page.missing.length > 0 });
    return failing === undefined ? page : failing.then((fault) => Promise.reject(fault));
  }
}
