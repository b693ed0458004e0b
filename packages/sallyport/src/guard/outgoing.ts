import type { Call, Tool } from '../core/call.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { decodePercent } from '../core/percent.ts';
import { ALLOW } from '../core/verdict.ts';
import { type ArgumentSafetyPorts, argumentSafety } from './argument-safety.ts';
import { type Decision, inspectRequest } from './guard.ts';
import { type SecretPorts, secrets } from './secrets/secrets.ts';
import { outgoingTaint } from './taint/outgoing.ts';
import type { TaintPorts } from './taint/taint.ts';

/** What goes to a server and is no call of a tool: arguments of prompts, completions, URIs, ids and news carry data, too. */
export interface Outgoing extends Pick<Call, 'id' | 'client' | 'endpoint' | 'run' | 'user' | 'snapshot'> {
  readonly upstream: string;
  readonly target: string;
  /** What a person or a model filled in, of which something may be left out. */
  readonly values: JsonObject;
  /** The rest: it leaves as it is or not at all. */
  readonly fixed: JsonObject;
  readonly bytes: number;
}

/** Under what name `fixed` holds a URI or an id of something of the server. */
export const NAMES = 'uri';

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
    if (isEmpty(sent.values) && isEmpty(sent.fixed)) return undefined;
    const { [NAMES]: name, ...others } = sent.fixed;
    return inTurn(sent, [
      // Which URIs may be read says the section "resources".
      (values) => inspectRequest(dangers, toStandIn(sent, toWhole({ values, fixed: others }))),
      (values) => inspectRequest(secretGuards, toStandIn(sent, toWhole({ values, fixed: sent.fixed }))),
      (values) => inspectRequest(flows, toStandIn(sent, toWhole({ values, fixed: { ...others, ...toParts(name) } }))),
    ]);
  };
}

async function inTurn(sent: Outgoing, looks: readonly Look[]): Promise<Decision> {
  let decision: Decision = { verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined };
  for (const look of looks) {
    const next = await look(decision.rewritten ?? sent.values);
    const { verdict, guard, rewritten } = next;
    if (verdict.kind === 'deny') return next;
    if (verdict.kind === 'ask')
      return toDenied(guard, `${verdict.reason} Only a call of a tool can wait for a person, so it is refused.`);
    if (verdict.kind === 'allow' || rewritten === undefined) continue;
    const { values, fixed } = fromWhole(rewritten, sent);
    if (!isSame(fixed, sent.fixed)) return toDenied(guard, `${NOTHING_LEFT_OUT}: ${verdict.reason}`);
    decision = { ...next, rewritten: values };
  }
  return decision;
}

const NOTHING_LEFT_OUT = 'Nothing is sent, since nothing can be left out where it stands';

/** What a person or a model filled into a request that is no call of a tool. */
export type Carried = Pick<Outgoing, 'values' | 'fixed'>;

/** Both as one, as rules about fields see it. What is fixed stands beside the values under a name that none of them has. */
export function toWhole({ values, fixed }: Carried): JsonObject {
  if (isEmpty(fixed)) return values;
  return isEmpty(values) ? fixed : { ...values, [holderIn(values)]: fixed };
}

/** What {@link toWhole} made of `before`, with what was taken out of it, or put back. */
export function fromWhole(whole: JsonObject, { values: before, fixed }: Carried): Carried {
  if (isEmpty(fixed)) return { values: whole, fixed };
  if (isEmpty(before)) return { values: before, fixed: whole };
  const { [holderIn(before)]: held, ...values } = whole;
  return { values, fixed: isObject(held) ? held : {} };
}

export function isSame(one: JsonObject, other: JsonObject): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function holderIn(values: JsonObject): string {
  let holder = 'request';
  while (Object.hasOwn(values, holder)) holder += '_';
  return holder;
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

/** @param values as those before left them */
type Look = (values: JsonObject) => Decision | Promise<Decision>;

/** Not as a link, which leads out: it goes to the server that knows it. */
function toParts(name: Json | undefined): JsonObject {
  if (typeof name !== 'string') return {};
  const parts = (decodePercent(name) ?? name).replace('://', ' ').split(/[/?&=#]/);
  return { reads: parts };
}

function toDenied(guard: string | undefined, reason: string): Decision {
  return { verdict: { kind: 'deny', code: 'denied', reason }, guard, rewritten: undefined, cause: undefined };
}

function toStandIn({ upstream, target, values: _, fixed: __, ...rest }: Outgoing, given: JsonObject): Call {
  return { ...rest, tool: toTool(upstream, target), arguments: given };
}

function toTool(upstream: string, target: string): Tool {
  return {
    ...{ upstream, name: target, publicName: target, definition: {}, digest: '', sinks: [] },
    ...{ setAside: undefined, approvedHints: {} },
  };
}
