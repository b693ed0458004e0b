import type { Tool } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import { toParamHeaders } from './param-headers.ts';
import type { Passing } from './passing.ts';
import type { CallPorts } from './ports.ts';
import { relay } from './relay.ts';
import { readRequest, writeRequest } from './request-forms.ts';
import { findUnlistedTool } from './unlisted.ts';
import { refuseUnreachable } from './unreachable.ts';

/** The way of one tools/call. A refusal by a guard is an answer the model can read. @throws FaultError as {@link relay} */
export function callTool(ports: CallPorts, given: Inbound): Promise<Answer> {
  return relay(ports, given, ({ inbound }, passing) => {
    const { view, request, exchange } = inbound;
    const tool = resolveTool(inbound, passing);
    return {
      kind: 'call',
      upstream: tool.upstream,
      target: tool.name,
      publicTarget: tool.publicName,
      item: 'tool',
      tool,
      ...readRequest('call', request, { named: undefined, isSealed: exchange.exclusive === true }),
      paramHeaders: (body) => toParamHeaders(view.paramHeaders(tool), body),
      write: (own, sent) => writeRequest('call', own, sent),
    };
  });
}

function resolveTool(inbound: Inbound, passing: Passing): Tool {
  const { request, view } = inbound;
  const name = member(request.params, 'name');
  if (typeof name !== 'string')
    throw new FaultError('invalid_params', 'tools/call needs "name": the name of a tool from tools/list.');
  const tool = view.tool(name);
  if (tool !== undefined) return tool;
  const hidden = view.hiddenTool(name);
  if (hidden !== undefined) noteHidden(passing, hidden);
  refuseUnreachable(passing, name);
  const unlisted = hidden === undefined ? findUnlistedTool(passing.ports, inbound, name) : undefined;
  if (unlisted !== undefined) {
    passing.subject.notValidated = 'inputSchema is not known: the server does not list the tool';
    return unlisted;
  }
  throw new FaultError(
    'invalid_params',
    `Unknown tool: ${name.slice(0, 128)}. tools/list has the names.${unavailable(view.unavailable)}`,
  );
}

/** What policies hide is not there, for the caller; the record says what was tried. */
function noteHidden({ ports, inbound, subject, record }: Passing, tool: Tool): void {
  const decision = ports.offers.noteHidden(tool, subject.client, { snapshot: inbound.snapshot, notes: subject });
  if (decision === undefined) return;
  record.upstream = subject.upstream = tool.upstream;
  record.tool = subject.target = tool.name;
  subject.digest = tool.digest;
  subject.tool = tool;
  record.outcome = 'denied';
  record.guard = 'policy';
  record.reason = decision.reason;
}

function unavailable(upstreams: readonly { upstream: string; reason: string }[]): string {
  return upstreams.length === 0 ? '' : ` Not reachable now: ${upstreams.map((one) => one.upstream).join(', ')}.`;
}
