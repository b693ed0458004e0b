import type { Call, Tool } from '../core/call.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Principal } from '../core/principal.ts';
import { SINK_CLASSES } from '../core/sink.ts';
import type { DecisionRecord } from '../guard/policy/recent-decisions.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** A decision as the API shows it: what policies look at, but the arguments. */
export function writeDecision({ callId, at, action, principal, tool, decision, enforced }: DecisionRecord): JsonObject {
  const hints = Object.fromEntries(
    HINTS.flatMap((hint) => {
      const value = member(tool.approvedHints, hint);
      return typeof value === 'boolean' ? [[hint, value]] : [];
    }),
  );
  // Through JSON: a plain copy with nothing in it that JSON cannot say.
  return JSON.parse(
    JSON.stringify({
      callId,
      time: new Date(at).toISOString(),
      action,
      principal,
      tool: { server: tool.upstream, name: tool.name, digest: tool.digest, hints, sinks: tool.sinks },
      ...(decision === undefined ? { effect: 'allow', reason: '', policies: [] } : decision),
      version: decision?.version ?? null,
      enforced,
    }),
  ) as JsonObject;
}

/** What a command line knows of a call, as the guards see one. */
export function toCall(facts: {
  readonly principal: Principal;
  readonly tool: Pick<Tool, 'upstream' | 'name' | 'digest' | 'approvedHints' | 'sinks'>;
  readonly arguments?: JsonObject;
  readonly client?: string | undefined;
}): Call {
  const { principal, tool } = facts;
  return {
    id: 'policy-test',
    tool: { ...tool, publicName: tool.name, definition: {}, setAside: undefined },
    client: {
      key: 'policy-test',
      principal,
      info: { name: facts.client ?? '', version: '' },
      capabilities: {},
      profile: '',
    },
    endpoint: { kind: 'all' },
    arguments: facts.arguments ?? {},
    bytes: 0,
    snapshotVersion: 0,
  };
}

/** The call of a written decision, without its arguments. */
export function readDecidedCall(record: Json): Call | undefined {
  const principal = member(record, 'principal');
  const tool = member(record, 'tool');
  const server = member(tool, 'server');
  const name = member(tool, 'name');
  const sinks = member(tool, 'sinks');
  const hints = member(tool, 'hints');
  if (!isObject(principal) || typeof server !== 'string' || typeof name !== 'string') return undefined;
  return toCall({
    principal: principal as unknown as Principal, // written by writeDecision from a principal
    tool: {
      upstream: server,
      name,
      digest: String(member(tool, 'digest')),
      approvedHints: isObject(hints) ? hints : {},
      sinks: SINK_CLASSES.filter((sink) => Array.isArray(sinks) && sinks.includes(sink)),
    },
  });
}
