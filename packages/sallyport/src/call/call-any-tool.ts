import type { Tool } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { Answer, type Request } from '../core/message.ts';
import { callTool } from './call-tool.ts';
import { refuseUnknown } from './discovery/nearest-tools.ts';
import { withSchema } from './discovery/with-schema.ts';
import type { Inbound } from './inbound.ts';
import type { OwnTool } from './own-tool.ts';
import { isMeant, ownToolNamed } from './own-tools.ts';
import type { CallPorts } from './ports.ts';
import { relay } from './relay.ts';
import { readRequest } from './request-forms.ts';

/** In records, for tools of Sallyport itself. No server of a configuration can have this name. */
const OWN_UPSTREAM = '(sallyport)';

/** The way of one tools/call, whoever's tool it is. */
export function callAnyTool(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  return inbound.wrapped === undefined ? callNamed(ports, inbound) : callWrapped(ports, inbound, inbound.wrapped);
}

/** What came inside `call_tool`. A server's tool of that name is called with the call as it was written. */
async function callWrapped(ports: CallPorts, inbound: Inbound, wrapped: Request): Promise<Answer> {
  const outer = ownToolNamed(wrapped.params['name']);
  if (outer === undefined || !(await isMeant(outer, inbound))) return callTool(ports, { ...inbound, request: wrapped });
  const name = String(inbound.request.params['name']);
  try {
    return withSchema(inbound, await callNamed(ports, inbound));
  } catch (error) {
    if (!(error instanceof FaultError) || error.code !== 'invalid_params' || isKnown(inbound, name)) throw error;
    return Answer.result(inbound.request.id, await refuseUnknown(ports, inbound, name));
  }
}

function isKnown({ view }: Inbound, name: string): boolean {
  return view.tool(name) !== undefined || ownToolNamed(name) !== undefined;
}

function callNamed(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const own = ownToolNamed(member(inbound.request.params, 'name'));
  if (own === undefined) return callTool(ports, inbound);
  return isMeant(own, inbound).then((isOwn) => (isOwn ? callOwnTool(ports, inbound, own) : callTool(ports, inbound)));
}

/** Through the same relay as all requests; no server is asked. */
function callOwnTool(ports: CallPorts, given: Inbound, own: OwnTool): Promise<Answer> {
  return relay(ports, given, ({ inbound, run }, { record }) => {
    const { request, exchange } = inbound;
    const carried = readRequest('call', request, { named: undefined, isSealed: exchange.exclusive === true });
    const answer = () => own.answer({ ports, inbound, given, run, callId: record.callId, body: carried.body });
    return {
      ...{ kind: 'own', upstream: OWN_UPSTREAM, target: own.name, item: 'tool', tool: toTool(own), ...carried },
      send: async () => Answer.result(request.id, await answer()),
    };
  });
}

/** The same as a tool of a server, for guards and records. */
function toTool({ name, definition }: Pick<OwnTool, 'name' | 'definition'>): Tool {
  return {
    upstream: OWN_UPSTREAM,
    name,
    publicName: name,
    definition,
    // Never that of a server's tool: those are the hex digits of a hash.
    digest: `${OWN_UPSTREAM} ${name}`,
    setAside: undefined,
    approvedHints: {},
    sinks: [],
  };
}
