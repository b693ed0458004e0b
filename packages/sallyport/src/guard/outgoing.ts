import type { Call, Tool } from '../core/call.ts';
import type { JsonObject } from '../core/json.ts';
import { ALLOW } from '../core/verdict.ts';
import { type ArgumentSafetyPorts, argumentSafety } from './argument-safety.ts';
import { type Decision, inspectRequest } from './guard.ts';
import { type SecretPorts, secrets } from './secrets/secrets.ts';
import { outgoingTaint } from './taint/outgoing.ts';
import type { TaintPorts } from './taint/taint.ts';

/** What goes to a server and is no call of a tool: arguments of prompts, completions, URIs, ids and news carry data, too. */
export interface Outgoing extends Pick<Call, 'id' | 'client' | 'endpoint' | 'run' | 'user' | 'snapshotVersion'> {
  readonly upstream: string;
  readonly target: string;
  /** What a person or a model filled in. */
  readonly values: JsonObject;
  /** A URI or an id that names something of the server; `undefined`: it names nothing. */
  readonly names: string | undefined;
  readonly bytes: number;
}

/** Whether it may leave, and with which values. `undefined`: nobody has to look. Never throws. */
export type JudgeOutgoing = (sent: Outgoing) => Promise<Decision> | undefined;

export interface OutgoingPorts {
  readonly argumentSafety: ArgumentSafetyPorts;
  readonly secrets: SecretPorts;
  readonly taint: TaintPorts;
}

/**
 * Holds it to what is ruled about arguments: dangers in them (requirement G5), secrets (G6) and private data (G9). Nobody can
 * be asked about it, so what asks elsewhere is no here.
 */
export function createOutgoing(ports: OutgoingPorts): JudgeOutgoing {
  const dangers = [argumentSafety(ports.argumentSafety)];
  const secretGuards = secrets(ports.secrets);
  const flows = [outgoingTaint(ports.taint)];
  return (sent) => {
    const { values, names } = sent;
    if (names === undefined && Object.keys(values).length === 0) return undefined;
    return inTurn(
      [
        // Which URIs may be read says the section "resources".
        () => inspectRequest(dangers, toStandIn(sent, values)),
        () => inspectRequest(secretGuards, toStandIn(sent, toNamed(values, names))),
        (rewritten) => inspectRequest(flows, toStandIn(sent, toParts(rewritten ?? values, names))),
      ],
      names,
    );
  };
}

async function inTurn(looks: readonly Look[], names: string | undefined): Promise<Decision> {
  let decision: Decision = { verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined };
  for (const look of looks) {
    const next = await look(decision.rewritten);
    const { verdict, guard } = next;
    if (verdict.kind === 'deny') return next;
    if (verdict.kind === 'ask') return toDenied(guard, `${verdict.reason} Nobody is asked but about calls of tools.`);
    if (verdict.kind === 'allow') continue;
    if (names !== undefined)
      return toDenied(guard, `${verdict.reason} It cannot be left out of a URI or an id, so nothing is sent.`);
    decision = next;
  }
  return decision;
}

/** @param rewritten the values as those before left them */
type Look = (rewritten: JsonObject | undefined) => Decision | Promise<Decision>;

/** The values with the name among them, as rules about fields see it. */
export function toNamed(values: JsonObject, names: string | undefined): JsonObject {
  return names === undefined ? values : { ...values, [NAMES]: names };
}

/** Where {@link toNamed} writes it. */
export const NAMES = 'uri';

/** Not as a link, which leads out: it goes to the server that knows it. */
function toParts(values: JsonObject, names: string | undefined): JsonObject {
  const given: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(values)) given[`/${name}`] = value;
  if (names !== undefined)
    given['/reads'] = unescaped(names)
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

function toDenied(guard: string | undefined, reason: string): Decision {
  return { verdict: { kind: 'deny', code: 'denied', reason }, guard, rewritten: undefined, cause: undefined };
}

function toStandIn({ upstream, target, values: _, names: __, ...rest }: Outgoing, given: JsonObject): Call {
  return { ...rest, tool: toTool(upstream, target), arguments: given };
}

function toTool(upstream: string, target: string): Tool {
  return {
    ...{ upstream, name: target, publicName: target, definition: {}, digest: '', sinks: [] },
    ...{ setAside: undefined, approvedHints: {} },
  };
}
