import type { ListKind, Page } from '../catalog/contract.ts';
import { rulesOf } from '../catalog/items.ts';
import type { Json } from '../core/json.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { relay } from './relay.ts';
import { readRequest } from './request-forms.ts';

/**
 * The page of a list that begins at a cursor of the server's which the catalogue does not have: the list was fetched anew
 * meanwhile, or by another process. The server says which items are on it; they are shown as the catalogue has them.
 * @returns the answer of a server that gives no page
 */
export async function askForPage(
  ports: CallPorts,
  inbound: Inbound,
  { kind, upstream }: { readonly kind: ListKind; readonly upstream: string },
): Promise<Page | Answer> {
  const { key, id } = rulesOf(kind);
  const isSealed = inbound.exchange.exclusive === true;
  const answer = await relay(ports, inbound, ({ inbound: { request } }) => ({
    kind: 'request',
    upstream,
    ...readRequest('request', request, { named: undefined, isSealed }),
  }));
  if (answer.outcome.kind === 'error') return answer;
  const { result } = answer.outcome;
  const items = member(result, key);
  const next = member(result, 'nextCursor');
  const ids = new Set((Array.isArray(items) ? (items as readonly Json[]) : []).map((item) => member(item, id)));
  return inbound.view.pick(kind, ids, typeof next === 'string' ? next : undefined);
}
