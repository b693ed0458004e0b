import { toolOf } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PolicyDecision } from '../../core/policy-decision.ts';
import { SINK_CLASSES, type SinkClass } from '../../core/sink.ts';
import { PolicyEngine, type SinksOf } from '../../guard/policy/policy-engine.ts';
import type { PolicySet } from './policy-set.ts';
import { type RecordedCall, type RecordedOffer, readRecordedUse } from './recorded-use.ts';

/** What became of one recorded request under other policies. */
export type Replayed =
  | { readonly kind: 'decided'; readonly did: string; readonly decision: PolicyDecision; readonly isAssumed: boolean }
  /** Its arguments would decide, by these policies. */
  | { readonly kind: 'arguments'; readonly did: string; readonly policies: readonly string[] }
  /** Another guard stopped it before the policies were asked. */
  | { readonly kind: 'earlier' }
  /** The record does not say what was asked for. */
  | { readonly kind: 'unknown' };

export interface ReplayPorts {
  /** The effects of a call whose arguments are known. */
  readonly sinksOf: SinksOf;
  readonly definitionOf: (server: string, tool: string) => JsonObject | undefined;
}

/** Tries policies on recorded requests, each at the time it was made. */
export function createReplay({ cedar, compiled }: PolicySet, ports: ReplayPorts): (record: JsonObject) => Replayed {
  const clock = { at: 0, now: () => clock.at };
  const sinksOf: SinksOf = (call) => union(toolOf(call).sinks, ports.sinksOf(call));
  const engine = new PolicyEngine(cedar, compiled, { clock, sinksOf });
  return (record) => {
    if (isStoppedEarlier(record)) return { kind: 'earlier' };
    const definition = ports.definitionOf(String(record['upstream']), String(record['tool']));
    const found = readRecordedUse(record, definition);
    if (found === undefined) return { kind: 'unknown' };
    clock.at = found.at;
    const did = readDid(record);
    if (found.kind === 'call') return replayCall(engine, found, did);
    return replayOffer(engine, found, did);
  };
}

function replayCall(engine: PolicyEngine, { call, hasArguments }: RecordedCall, did: string): Replayed {
  const isVisible = engine.maySee(call.client.principal, toolOf(call));
  const decision = hasArguments ? engine.decide('call', call) : engine.decideWithoutArguments(call);
  const about = engine.policiesAbout(toolOf(call));
  // Effects that only arguments tell of are not in the record.
  const isAssumed = !hasArguments && about.some(({ readsSinks }) => readsSinks);
  if (decision !== undefined) {
    const hides = !isVisible && decision.effect !== 'deny';
    return { kind: 'decided', did, decision: hides ? toHidden(decision) : decision, isAssumed };
  }
  if (!isVisible)
    return { kind: 'decided', did, decision: toHidden({ policies: [], version: engine.version }), isAssumed };
  const policies = about.filter(({ reads }) => reads.has('arguments')).map(({ id }) => id);
  return { kind: 'arguments', did, policies };
}

function replayOffer(engine: PolicyEngine, { use, hasArguments }: RecordedOffer, did: string): Replayed {
  const readers = engine.policiesAbout(use.offer).filter(({ reads }) => reads.has('arguments'));
  if (!hasArguments && readers.length > 0) return { kind: 'arguments', did, policies: readers.map(({ id }) => id) };
  const decision = engine.decideOffer('use', use);
  const isHidden = decision.effect !== 'deny' && !engine.mayReach(use.client.principal, use.offer);
  return { kind: 'decided', did, decision: isHidden ? toHidden(decision) : decision, isAssumed: false };
}

function toHidden({ policies, version }: Pick<PolicyDecision, 'policies' | 'version'>): PolicyDecision {
  return { effect: 'deny', reason: 'It would not be in the lists of this caller.', policies, version };
}

/** Refused by another guard, and the policies left nothing: they were not asked. */
function isStoppedEarlier({ outcome, guard, policy }: JsonObject): boolean {
  return outcome === 'denied' && policy === undefined && guard !== 'policy';
}

/** What the policies did then: nothing stopped it where there were none, or none that were carried out. */
function readDid({ policy, policyMode }: JsonObject): string {
  const effect = (policy as { readonly effect?: unknown } | undefined)?.effect;
  return policyMode === 'shadow' || typeof effect !== 'string' ? 'allow' : effect;
}

function union(one: readonly SinkClass[], other: readonly SinkClass[]): readonly SinkClass[] {
  return one === other ? one : SINK_CLASSES.filter((sink) => one.includes(sink) || other.includes(sink));
}
