import type { Settled } from '../src/call/approval-desk.ts';
import type { Inbound } from '../src/call/inbound.ts';
import type { CallPorts } from '../src/call/ports.ts';
import { Scripts } from '../src/call/script/scripts.ts';
import { TaskOwners } from '../src/call/task-owners.ts';
import { ToolIndexes } from '../src/catalog/search/tool-indexes.ts';
import type { AuditEnd, AuditSubject } from '../src/core/audit.ts';
import { systemClock } from '../src/core/clock.ts';
import type { JsonObject } from '../src/core/json.ts';
import { silentLog } from '../src/core/log.ts';
import { Answer, Request } from '../src/core/message.ts';
import { KEY_HOLDER, type Principal } from '../src/core/principal.ts';
import type { UpstreamRequest } from '../src/core/upstream-port.ts';
import { createChains, type Guard } from '../src/guard/guard.ts';
import type { CallRecord } from '../src/telemetry/call-log.ts';
import { toCall, toTool } from './sample-call.ts';

/** What happened on the way of one message, in its order. */
export interface Relayed {
  readonly ports: CallPorts;
  readonly steps: string[];
  readonly records: CallRecord[];
  readonly admitted: (AuditSubject & { readonly args: string })[];
  readonly ended: (AuditSubject & { readonly end: AuditEnd })[];
  /** As they went to the server. */
  readonly sent: UpstreamRequest[];
}

/** The lives of messages with these guards, and a server that answers with this. */
export function openRelay(
  guards: readonly Guard[],
  given: Partial<CallPorts> & { readonly answer?: () => Answer | Promise<Answer> } = {},
): Relayed {
  const { answer = () => Answer.result('1', { content: [] }), ...ports } = given;
  const taskOwners = new TaskOwners();
  void taskOwners.note('web', Answer.result('1', { task: { taskId: 't1' } }), KEY_HOLDER);
  const relayed: Omit<Relayed, 'ports'> = { steps: [], records: [], admitted: [], ended: [], sent: [] };
  const { steps, records, admitted, ended, sent } = relayed;
  const upstreams = {
    async send(_upstream: string, request: UpstreamRequest) {
      steps.push('sent');
      sent.push(request);
      return answer();
    },
    async notify() {
      steps.push('told');
    },
  };
  return {
    ...relayed,
    ports: {
      upstreams: upstreams as unknown as CallPorts['upstreams'],
      chains: createChains(guards),
      offers: { areEnforced: () => false, noteHidden: () => undefined },
      desk: { settle: async (first) => ({ decision: first, approvalId: undefined }) },
      keptResults: { take: () => undefined },
      taskOwners,
      masked: { toUpstream: () => undefined, toCaller: (_asked, one) => one },
      handled: { toUpstream: () => undefined },
      scripts: new Scripts(),
      toolIndexes: new ToolIndexes(),
      tokenMeter: undefined,
      callLog: { write: (record) => void records.push({ ...record }) },
      metrics: undefined,
      tracer: undefined,
      audit: {
        admit(subject, args) {
          steps.push('recorded');
          admitted.push({ ...subject, args: String(args) });
          return undefined;
        },
        finish(subject, end) {
          steps.push(end.outcome);
          ended.push({ ...subject, end: { ...end } });
        },
        trouble: () => undefined,
      },
      clock: systemClock,
      log: silentLog,
      ...ports,
    },
  };
}

export const ECHO = toTool(
  { name: 'echo', inputSchema: { type: 'object' } },
  { upstream: 'web', publicName: 'web_echo', digest: 'd' },
);

/** A request of a client of the shared endpoint, in front of which is one server, `web`. */
export function toInbound(method: string, params: JsonObject, principal: Principal = KEY_HOLDER): Inbound {
  const { client: sample, endpoint } = toCall();
  const client = { ...sample, principal };
  const view = {
    tool: (name: string) => (name === 'web_echo' ? ECHO : undefined),
    hiddenTool: () => undefined,
    prompt: (name: string) => (name === 'web_ask' ? { upstream: 'web', name: 'ask' } : undefined),
    resource: (uri: string) =>
      uri.startsWith('web+') ? [{ upstream: 'web', uri: uri.slice(4), isListed: uri.endsWith('listed') }] : [],
    task: (id: string) => ({ upstream: 'web', taskId: id }),
    whyHeld: () => undefined,
    unavailable: [],
    paramHeaders: () => undefined,
    publicUri: (_upstream: string, uri: string) => `web+${uri}`,
    publicTaskId: (_upstream: string, id: string) => id,
  };
  const exchange = { client, cancelled: false, onCancel: undefined, exclusive: true, watch: undefined };
  const request = Request.of('7', method, params);
  return { request, exchange, endpoint, view, snapshot: { version: 3, servers: new Map() } } as unknown as Inbound;
}

/** A desk at which a person said this. */
export function deskThat(settled: Partial<Settled>): CallPorts['desk'] {
  return { settle: async (first) => ({ decision: first, approvalId: 'ap_1', ...settled }) };
}
