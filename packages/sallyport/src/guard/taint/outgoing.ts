import type { Call, Tool } from '../../core/call.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import { privacyOf } from './labels.ts';
import { privateFlows } from './private-flows.ts';
import { type TaintPorts, taint } from './taint.ts';

/** A request that is no call of a tool and goes to a server all the same: its arguments and its URI carry data, too. */
export interface Outgoing extends Pick<Call, 'id' | 'client' | 'endpoint' | 'run' | 'user' | 'snapshotVersion'> {
  readonly upstream: string;
  readonly target: string;
  readonly params: JsonObject;
  readonly bytes: number;
}

/** Whether private data leaves with it. `undefined`: nothing has to be looked at. */
export type JudgeOutgoing = (sent: Outgoing) => Verdict | Promise<Verdict> | undefined;

/**
 * Holds prompts, completions and URIs to the rules about private values. Nobody can be asked about them, so what asks
 * elsewhere is no here.
 */
export function createOutgoing(ports: TaintPorts): JudgeOutgoing {
  const guard = taint({
    ...ports,
    settings: () => {
      const settings = ports.settings();
      return settings === undefined ? undefined : privateOnly(settings);
    },
    sinksOf: () => [],
  });
  const decide = (sent: Outgoing): Verdict | Promise<Verdict> => {
    const given = toArguments(sent.params);
    const decided = Object.keys(given).length === 0 ? undefined : guard.request?.(toStandIn(sent, given));
    return decided ?? ALLOW;
  };
  return (sent) => {
    if (ports.settings() === undefined) return undefined;
    const marks = ports.memory.marksOf(sent.run);
    if (typeof marks === 'number') return privacyOf(marks) === 0 ? undefined : decide(sent);
    return marks.then((known) => (privacyOf(known) === 0 ? ALLOW : decide(sent)));
  };
}

const privateOnly = privateFlows((flow) => (flow.action === 'ask' ? { ...flow, action: 'deny' } : flow));

/** What a person or a model filled in. */
function toArguments(params: JsonObject): JsonObject {
  const given: Record<string, JsonObject[string]> = {};
  const add = (values: unknown): void => {
    if (isObject(values)) for (const [name, value] of Object.entries(values)) given[`/${name}`] = value;
  };
  add(member(params, 'arguments'));
  add(member(member(params, 'context'), 'arguments'));
  const argument = member(params, 'argument');
  if (isObject(argument)) given['/argument'] = member(argument, 'value');
  const uri = member(params, 'uri');
  // Not as a link, which leads out: it goes to the server that knows it.
  if (typeof uri === 'string')
    given['/reads'] = unescaped(uri)
      .replace('://', ' ')
      .split(/[/?&=#]/);
  return given;
}

function unescaped(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

function toStandIn(sent: Outgoing, given: JsonObject): Call {
  const { upstream, target, params: _, ...rest } = sent;
  return { ...rest, tool: toTool(upstream, target), arguments: given };
}

function toTool(upstream: string, target: string): Tool {
  return {
    ...{ upstream, name: target, publicName: target, definition: {}, digest: '', sinks: [] },
    ...{ setAside: undefined, approvedHints: {} },
  };
}
