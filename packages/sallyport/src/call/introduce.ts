import { isObject, type JsonObject, member } from '../core/json.ts';
import { sizeOf } from '../core/large-body.ts';
import { inspect } from '../guard/guard.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { findUnreached } from './unreachable.ts';
import { toContext } from './watch.ts';

/** What an endpoint says of itself in answer to `initialize` and `server/discover`. */
export interface Introduced {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
}

/**
 * The same as a client reads it: the endpoint of a server says it in that server's words, which are judged.
 * @throws FaultError `not_ready` where that server was never reached; a client that started us asks once, and is told of it
 * in the instructions
 */
export async function introduce(
  ports: CallPorts,
  inbound: Pick<Inbound, 'endpoint' | 'snapshot' | 'view'> & { readonly exchange: Pick<Inbound['exchange'], 'client'> },
): Promise<Introduced> {
  const { endpoint, snapshot } = inbound;
  const { serverInfo, capabilities, isIntroduced } = inbound.view;
  const missing = !isIntroduced && inbound.exchange.client.principal.kind !== 'stdio';
  const fault = await findUnreached(ports, inbound, { code: 'not_ready', missing });
  if (fault !== undefined) throw fault;
  const context = toContext(inbound, endpoint.kind === 'server' ? endpoint.name : '');
  const body: JsonObject = { capabilities, serverInfo };
  const { verdict, rewritten } = await inspect(ports.chains('server_info', snapshot).guards, {
    ...{ ...context, kind: 'server_info', body, bytes: sizeOf(body) },
  });
  if (verdict.kind === 'deny' || verdict.kind === 'ask') return { capabilities: {}, serverInfo: {} };
  if (rewritten === undefined) return { capabilities, serverInfo };
  const [info, list] = [member(rewritten, 'serverInfo'), member(rewritten, 'capabilities')];
  return { capabilities: isObject(list) ? list : {}, serverInfo: isObject(info) ? info : {} };
}
