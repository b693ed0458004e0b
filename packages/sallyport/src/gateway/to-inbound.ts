import { unwrapCall } from '../call/discovery/call-through.ts';
import type { Inbound } from '../call/inbound.ts';
import { toAsked } from '../call/own-tools.ts';
import type { Catalog, View } from '../catalog/contract.ts';

/** A request of either era with the view it is for, and a call inside `call_tool` in place of that. */
export function toInbound(
  catalog: Pick<Catalog, 'view'>,
  given: Omit<Inbound, 'view' | 'wrapped'>,
): Inbound | Promise<Inbound> {
  const { request, exchange, endpoint, snapshot } = given;
  const asking = { snapshot, endpoint, client: exchange.client };
  const inner = unwrapCall(request, asking);
  const view = catalog.view(snapshot, endpoint, exchange.client, toAsked(inner, asking));
  const finish = (known: View): Inbound => {
    const inbound = { request: inner, exchange, endpoint, snapshot, view: known };
    return inner === request ? inbound : { ...inbound, wrapped: request };
  };
  return view instanceof Promise ? view.then(finish) : finish(view);
}
